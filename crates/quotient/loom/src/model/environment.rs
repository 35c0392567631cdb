//! loom's environment variables. A value that makes no sense is an error, as in loom.

use std::ffi::OsString;
use std::time::Duration;

use super::Builder;

/// A variable with a value that makes no sense.
#[derive(Debug, thiserror::Error)]
pub(super) enum SettingError {
    #[error("{name} is {value:?}, but must be a number")]
    NotANumber { name: &'static str, value: OsString },
    #[error("{0} is 0, but nothing can be checked then")]
    Zero(&'static str),
}

/// loom's defaults, overridden by the variables that `lookup` finds.
pub(super) fn settings(lookup: impl Fn(&str) -> Option<OsString>) -> Result<Builder, SettingError> {
    let number = |name: &'static str| match lookup(name) {
        None => Ok(None),
        Some(value) => match value.to_str().and_then(|text| text.trim().parse::<usize>().ok()) {
            Some(number) => Ok(Some(number)),
            None => Err(SettingError::NotANumber { name, value }),
        },
    };
    let limit = |name: &'static str| match number(name)? {
        Some(0) => Err(SettingError::Zero(name)),
        other => Ok(other),
    };
    Ok(Builder {
        max_threads: 5,
        max_branches: number("LOOM_MAX_BRANCHES")?.unwrap_or(1_000),
        max_permutations: limit("LOOM_MAX_PERMUTATIONS")?,
        max_duration: limit("LOOM_MAX_DURATION")?.map(|seconds| Duration::from_secs(seconds as u64)),
        preemption_bound: number("LOOM_MAX_PREEMPTIONS")?,
        checkpoint_file: lookup("LOOM_CHECKPOINT_FILE").map(Into::into),
        checkpoint_interval: number("LOOM_CHECKPOINT_INTERVAL")?.unwrap_or(20_000),
        expect_explicit_explore: false,
        location: lookup("LOOM_LOCATION").is_some(),
        log: lookup("LOOM_LOG").is_some_and(|level| !["", "off", "error", "warn"].iter().any(|quiet| level == *quiet)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Result<Builder, SettingError> {
        settings(|name| variables.iter().find(|one| one.0 == name).map(|one| one.1.into()))
    }

    #[test]
    fn without_variables_there_are_no_limits() {
        let builder = of(&[]).expect("nothing is wrong with nothing");
        assert_eq!((builder.max_permutations, builder.max_duration, builder.preemption_bound), (None, None, None));
        assert!(!builder.log && !builder.location && !builder.expect_explicit_explore);
        assert_eq!(builder.checkpoint_file, None);
    }

    #[test]
    fn each_variable_sets_its_field() {
        let builder = of(&[
            ("LOOM_MAX_BRANCHES", "2000000"),
            ("LOOM_MAX_PERMUTATIONS", "7"),
            ("LOOM_MAX_DURATION", "60"),
            ("LOOM_MAX_PREEMPTIONS", "2"),
            ("LOOM_CHECKPOINT_FILE", "failure.txt"),
            ("LOOM_CHECKPOINT_INTERVAL", "1"),
            ("LOOM_LOCATION", "1"),
            ("LOOM_LOG", "trace"),
        ])
        .expect("all values are good");
        assert_eq!(builder.max_branches, 2_000_000);
        assert_eq!(builder.max_permutations, Some(7));
        assert_eq!(builder.max_duration, Some(Duration::from_secs(60)));
        assert_eq!(builder.preemption_bound, Some(2));
        assert_eq!(builder.checkpoint_file, Some("failure.txt".into()));
        assert_eq!(builder.checkpoint_interval, 1);
        assert!(builder.location && builder.log);
    }

    #[test]
    fn quiet_levels_are_quiet() {
        assert!(!of(&[("LOOM_LOG", "off")]).expect("a level").log);
    }

    #[test]
    fn bad_values_are_explained() {
        let message = |name, value| of(&[(name, value)]).expect_err("a bad value").to_string();
        assert_eq!(message("LOOM_MAX_BRANCHES", "many"), r#"LOOM_MAX_BRANCHES is "many", but must be a number"#);
        assert_eq!(message("LOOM_MAX_DURATION", "0"), "LOOM_MAX_DURATION is 0, but nothing can be checked then");
    }
}
