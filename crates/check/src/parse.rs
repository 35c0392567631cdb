//! Values of options as they are written on a command line: times, sizes and numbers. A [`ValueError`] says what is wrong with a
//! text.

#[cfg(feature = "clap")]
use std::time::Duration;

#[cfg(feature = "clap")]
use clap::error::{ContextKind, ContextValue};

/// What is wrong with the text of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[cfg_attr(not(feature = "clap"), allow(dead_code))]
pub(crate) enum ValueError {
    #[error("not a number, and not `off`")]
    NumberOrOff,
    #[error("not a number of seconds")]
    Seconds,
    #[error("the time must be more than zero")]
    NoTime,
    #[error("not a size: write a number of bytes, or a number with K, M, G or T")]
    Unit,
    #[error("not a size: write 512M or 2G, say")]
    Size,
    #[error("the size must be at least one byte")]
    NoSize,
}

/// A number of states, or `off` for none.
#[cfg(feature = "clap")]
pub(crate) fn number_or_off(text: &str) -> Result<usize, ValueError> {
    match text {
        "off" => Ok(0),
        _ => text.parse().map_err(|_| ValueError::NumberOrOff),
    }
}

/// Reads a strategy for symmetry: one of the words, or `kbots:K`.
#[cfg(feature = "clap")]
#[derive(Clone)]
pub(crate) struct SymmetryParser;

#[cfg(feature = "clap")]
impl clap::builder::TypedValueParser for SymmetryParser {
    type Value = crate::words::Symmetry;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Self::Value, clap::Error> {
        let steps = value.to_str().and_then(|text| text.strip_prefix("kbots:")).and_then(|steps| steps.parse().ok());
        match steps {
            Some(steps) => Ok(crate::words::Symmetry::KbotsTo(steps)),
            None => clap::builder::EnumValueParser::new().parse_ref(command, arg, value).map_err(|mut error| {
                let words = self.possible_values().into_iter().flatten().map(|word| word.get_name().to_string());
                let words = ContextValue::Strings(words.collect());
                error.insert(ContextKind::ValidValue, words);
                error
            }),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = clap::builder::PossibleValue> + '_>> {
        let words = <crate::words::Symmetry as clap::ValueEnum>::value_variants();
        let deeper = clap::builder::PossibleValue::new("kbots:K").help("The same, by what they reach in K steps");
        Some(Box::new(words.iter().filter_map(clap::ValueEnum::to_possible_value).chain([deeper])))
    }
}

/// A time in seconds.
#[cfg(feature = "clap")]
pub(crate) fn seconds(text: &str) -> Result<Duration, ValueError> {
    let seconds: f64 = text.parse().map_err(|_| ValueError::Seconds)?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() => Ok(time),
        _ => Err(ValueError::NoTime),
    }
}

/// A size in bytes, with an optional binary unit: `1000`, `64K`, `512M`, `2G`, `1.5G`, `1T`, also `512MB` and `512MiB`.
pub(crate) fn size(text: &str) -> Result<u64, ValueError> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text[digits.len()..].to_ascii_uppercase();
    let shift = match unit.trim_end_matches('B').trim_end_matches('I') {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err(ValueError::Unit),
    };
    let number: f64 = digits.parse().map_err(|_| ValueError::Size)?;
    let bytes = number * (1u64 << shift) as f64;
    if !bytes.is_finite() || bytes < 1.0 || bytes >= u64::MAX as f64 {
        return Err(ValueError::NoSize);
    }
    Ok(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_binary_units() {
        assert_eq!(size("1000"), Ok(1000));
        assert_eq!(size("64k"), Ok(64 << 10));
        assert_eq!(size("512M"), Ok(512 << 20));
        assert_eq!(size("1.5GiB"), Ok(3 << 29));
        assert_eq!(size("2T"), Ok(2 << 40));
        for bad in ["", "M", "0", "-1", "1X", "1e400", "inf"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }
}
