//! Settings from the environment. They override those of the program, and a value that makes no sense is an error that
//! says which would.

use std::ffi::OsString;
use std::time::Duration;

use crate::MemoryModel;
use crate::builder::{AddressOrder, Settings};

/// A variable with a value that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SettingError {
    #[error("{name} is {value:?}, which is not text")]
    NotText { name: &'static str, value: OsString },
    #[error("{name} is \"{value}\", but must be {allowed}")]
    NotAllowed { name: &'static str, value: String, allowed: &'static str },
}

/// Overrides settings by the variables that `lookup` finds.
pub(crate) fn apply(settings: &mut Settings, lookup: impl Fn(&str) -> Option<OsString>) -> Result<(), SettingError> {
    let text = |name: &'static str| -> Result<Option<(&'static str, String)>, SettingError> {
        match lookup(name).map(OsString::into_string) {
            None => Ok(None),
            Some(Ok(value)) => Ok(Some((name, value))),
            Some(Err(value)) => Err(SettingError::NotText { name, value }),
        }
    };
    set(&mut settings.model, text("QUOTIENT_MODEL")?, model, MODELS)?;
    set(&mut settings.symmetry, text("QUOTIENT_SYMMETRY")?, truth, TRUTHS)?;
    set(&mut settings.jobs, text("QUOTIENT_JOBS")?, number, NUMBERS)?;
    set(&mut settings.max_executions, text("QUOTIENT_MAX_EXECUTIONS")?, some(number), NUMBERS)?;
    set(&mut settings.max_events, text("QUOTIENT_MAX_EVENTS")?, number, NUMBERS)?;
    set(&mut settings.max_time, text("QUOTIENT_MAX_TIME")?, some(time), TIMES)?;
    set(&mut settings.spurious_failures, text("QUOTIENT_SPURIOUS")?, truth, TRUTHS)?;
    set(&mut settings.spurious_wakeups, text("QUOTIENT_SPURIOUS_WAKEUPS")?, |value| value.parse().ok(), "a number")?;
    set(&mut settings.unwind, text("QUOTIENT_UNWIND")?, truth, TRUTHS)?;
    set(&mut settings.address_order, text("QUOTIENT_ADDRESS_ORDER")?, order, ORDERS)?;
    set(&mut settings.stack_size, text("QUOTIENT_STACK")?, size, SIZES)?;
    set(&mut settings.replay, text("QUOTIENT_REPLAY")?, some(not_empty), "the text that a failure's report gives")?;
    set(
        &mut settings.report,
        text("QUOTIENT_REPORT")?,
        |value| not_empty(value).map(|name| Some(name.into())),
        "a file",
    )?;
    set(&mut settings.log, text("QUOTIENT_LOG")?, truth, TRUTHS)
}

const MODELS: &str = "sc, tso, ra or rc11";
const ORDERS: &str = "auto, ascending or both";
const TRUTHS: &str = "true, on, yes or 1, or else false, off, no or 0";
const NUMBERS: &str = "a number from 1";
const TIMES: &str = "a number of seconds, or one with a unit: 500ms, 30s, 5m, 2h";
const SIZES: &str = "a number of bytes, or one with a unit: 512k, 2m";

fn set<T>(
    setting: &mut T,
    variable: Option<(&'static str, String)>,
    parse: impl Fn(&str) -> Option<T>,
    allowed: &'static str,
) -> Result<(), SettingError> {
    if let Some((name, value)) = variable {
        *setting = parse(value.trim()).ok_or(SettingError::NotAllowed { name, value, allowed })?;
    }
    Ok(())
}

fn some<T>(parse: impl Fn(&str) -> Option<T>) -> impl Fn(&str) -> Option<Option<T>> {
    move |value| parse(value).map(Some)
}

fn model(value: &str) -> Option<MemoryModel> {
    MemoryModel::from_name(&value.to_ascii_lowercase())
}

fn order(value: &str) -> Option<AddressOrder> {
    match value.to_ascii_lowercase().as_str() {
        "auto" => Some(AddressOrder::Auto),
        "ascending" => Some(AddressOrder::Ascending),
        "both" => Some(AddressOrder::Both),
        _ => None,
    }
}

fn truth(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "on" | "yes" | "1" => Some(true),
        "false" | "off" | "no" | "0" => Some(false),
        _ => None,
    }
}

/// A number from 1; underscores may group its digits.
fn number<T: TryFrom<u64>>(value: &str) -> Option<T> {
    let number: u64 = value.replace('_', "").parse().ok()?;
    if number == 0 { None } else { T::try_from(number).ok() }
}

fn time(value: &str) -> Option<Duration> {
    let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let (digits, seconds) = with_unit(value, &units).unwrap_or((value, 1.0));
    let count: f64 = digits.parse().ok()?;
    Duration::try_from_secs_f64(count * seconds).ok().filter(|time| !time.is_zero())
}

fn size(value: &str) -> Option<usize> {
    let value = value.to_ascii_lowercase();
    let (digits, bytes) = with_unit(&value, &[("k", 1 << 10), ("m", 1 << 20)]).unwrap_or((&value, 1));
    number::<usize>(digits)?.checked_mul(bytes)
}

/// Splits off the first unit that fits.
fn with_unit<'a, T: Copy>(value: &'a str, units: &[(&str, T)]) -> Option<(&'a str, T)> {
    units.iter().find_map(|&(unit, factor)| Some((value.strip_suffix(unit)?.trim_end(), factor)))
}

fn not_empty(value: &str) -> Option<String> {
    (!value.is_empty()).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Builder;

    fn applied(variables: &[(&str, &str)]) -> Result<Settings, SettingError> {
        let mut settings = Builder::new().symmetry(false).jobs(3).settings;
        let lookup = |name: &str| variables.iter().find(|one| one.0 == name).map(|one| one.1.into());
        apply(&mut settings, lookup).map(|()| settings)
    }

    #[test]
    fn without_variables_settings_stay() {
        assert_eq!(applied(&[]), Ok(Builder::new().symmetry(false).jobs(3).settings));
    }

    #[test]
    fn variables_override_the_program() {
        let settings = applied(&[
            ("QUOTIENT_MODEL", "TSO"),
            ("QUOTIENT_SYMMETRY", "on"),
            ("QUOTIENT_JOBS", "8"),
            ("QUOTIENT_MAX_EXECUTIONS", "1_000_000"),
            ("QUOTIENT_MAX_EVENTS", "500"),
            ("QUOTIENT_MAX_TIME", "1.5m"),
            ("QUOTIENT_SPURIOUS", "yes"),
            ("QUOTIENT_SPURIOUS_WAKEUPS", "2"),
            ("QUOTIENT_UNWIND", "true"),
            ("QUOTIENT_ADDRESS_ORDER", "both"),
            ("QUOTIENT_STACK", "64k"),
            ("QUOTIENT_REPLAY", "0/1/0"),
            ("QUOTIENT_REPORT", "out.json"),
            ("QUOTIENT_LOG", "1"),
        ]);
        let expected = Builder::new()
            .model(MemoryModel::Tso)
            .jobs(8)
            .max_executions(1_000_000)
            .max_events(500)
            .max_time(Duration::from_secs(90))
            .spurious_failures(true)
            .spurious_wakeups(2)
            .unwind(true)
            .address_order(AddressOrder::Both)
            .stack_size(64 << 10)
            .replay("0/1/0")
            .report("out.json")
            .log(true);
        assert_eq!(settings, Ok(expected.settings));
    }

    #[test]
    fn times_have_units() {
        assert_eq!(time("20"), Some(Duration::from_secs(20)));
        assert_eq!(time("500ms"), Some(Duration::from_millis(500)));
        assert_eq!(time("2h"), Some(Duration::from_secs(7200)));
        assert_eq!(time("-1s"), None);
        assert_eq!(time("soon"), None);
    }

    #[test]
    fn bad_values_are_explained() {
        let message = |name, value| applied(&[(name, value)]).expect_err("a bad value").to_string();
        assert_eq!(message("QUOTIENT_MODEL", "arm"), "QUOTIENT_MODEL is \"arm\", but must be sc, tso, ra or rc11");
        assert_eq!(message("QUOTIENT_JOBS", "0"), "QUOTIENT_JOBS is \"0\", but must be a number from 1");
        assert_eq!(
            message("QUOTIENT_SYMMETRY", "maybe"),
            "QUOTIENT_SYMMETRY is \"maybe\", but must be true, on, yes or 1, or else false, off, no or 0"
        );
        assert!(message("QUOTIENT_MAX_TIME", "5 fortnights").contains("with a unit"));
        assert!(message("QUOTIENT_STACK", "99999999999999999999").contains("bytes"));
    }
}
