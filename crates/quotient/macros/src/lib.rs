//! The attribute `#[quotient::test]`: a test whose body is checked in every way that its threads can behave.

mod arguments;
mod expand;

use proc_macro::TokenStream;

/// Turns a function into a test that checks its body.
///
/// ```text
/// #[quotient::test]
/// fn counter() { … }
///
/// #[quotient::test(model = "tso", symmetry = false, jobs = 4, max_executions = 100_000, spurious = true)]
/// fn queue() { … }
/// ```
///
/// Each argument sets what the method of `quotient::Builder` of that name sets (`spurious` sets `spurious_failures`).
#[proc_macro_attribute]
pub fn test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand(arguments.into(), item.into()).unwrap_or_else(|error| error.into_compile_error()).into()
}
