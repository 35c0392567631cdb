//! The macro of the crate `lazy_static`, for programs that use it.

/// Declares statics that are made on first use, anew in each execution.
///
/// ```
/// quotient::lazy_static! {
///     static ref NAMES: Vec<&'static str> = vec!["one", "two"];
///     pub static ref COUNT: usize = NAMES.len();
/// }
/// ```
#[macro_export]
macro_rules! lazy_static {
    ($($(#[$attribute:meta])* $visibility:vis static ref $name:ident: $type:ty = $init:expr);* $(;)?) => {$(
        $(#[$attribute])*
        $visibility static $name: $crate::sync::LazyLock<$type> = $crate::sync::LazyLock::new(|| $init);
    )*};
}
