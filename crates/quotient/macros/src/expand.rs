//! From a function to a test.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, ItemFn, Result, ReturnType, parse2};

use crate::arguments::Arguments;

/// The test for a function with this attribute.
pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let function: ItemFn = parse2(item).map_err(|error| {
        Error::new(error.span(), format!("#[quotient::test] is for functions without parameters: {error}"))
    })?;
    reject(&function)?;
    let Arguments { calls } = parse2(arguments)?;
    let (attributes, visibility, name, body) = (&function.attrs, &function.vis, &function.sig.ident, &function.block);
    Ok(quote! {
        #[::core::prelude::v1::test]
        #(#attributes)*
        #visibility fn #name() {
            ::quotient::Builder::new() #calls .check(|| #body);
        }
    })
}

/// Says what cannot be a test.
fn reject(function: &ItemFn) -> Result<()> {
    let signature = &function.sig;
    if let Some(token) = signature.asyncness {
        return Err(Error::new_spanned(
            token,
            "a quotient test cannot be async; call quotient::future::block_on in its body",
        ));
    }
    if let Some(parameter) = signature.inputs.first() {
        return Err(Error::new_spanned(
            parameter,
            "a quotient test has no parameters; quotient::choose gives it values",
        ));
    }
    if !signature.generics.params.is_empty() {
        return Err(Error::new_spanned(&signature.generics, "a quotient test cannot be generic"));
    }
    if let ReturnType::Type(_, result) = &signature.output {
        return Err(Error::new_spanned(result, "a quotient test returns nothing; it fails by panicking"));
    }
    if let Some(test) = function.attrs.iter().find(|attribute| attribute.path().is_ident("test")) {
        return Err(Error::new_spanned(test, "#[quotient::test] makes the function a test; remove #[test]"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(arguments: &str, item: &str) -> String {
        let tokens = |text: &str| text.parse().expect("tokens");
        let error = expand(tokens(arguments), tokens(item)).expect_err("a mistake");
        error.into_iter().map(|error| error.to_string()).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn arguments_become_calls() {
        let arguments = r#"model = "tso", symmetry = false, jobs = 4, max_executions = 10_000, spurious = true"#;
        let test = expand(
            arguments.parse().unwrap(),
            quote!(
                fn queue() {
                    run();
                }
            ),
        )
        .unwrap();
        let expected = quote! {
            #[::core::prelude::v1::test]
            fn queue() {
                ::quotient::Builder::new()
                    .model(::quotient::MemoryModel::Tso)
                    .symmetry(false)
                    .jobs(4)
                    .max_executions(10_000)
                    .spurious_failures(true)
                    .check(|| { run(); });
            }
        };
        assert_eq!(test.to_string(), expected.to_string());
    }

    #[test]
    fn attributes_stay() {
        let test = expand(
            quote!(),
            quote!(
                #[should_panic]
                fn fails() {}
            ),
        )
        .unwrap();
        assert!(test.to_string().contains("# [should_panic]"));
    }

    #[test]
    fn bad_arguments_are_explained() {
        let item = "fn test() {}";
        assert_eq!(
            error("threads = 4", item),
            "there is no `threads`; there are model, symmetry, jobs, max_executions, spurious"
        );
        assert_eq!(error("model = \"arm\"", item), r#"`model` must be "sc", "tso", "ra" or "rc11""#);
        assert_eq!(error("model = rc11", item), r#"`model` must be "sc", "tso", "ra" or "rc11""#);
        assert_eq!(error("symmetry = 1", item), "`symmetry` must be true or false");
        assert_eq!(error("jobs = 0", item), "`jobs` must be a number from 1");
        assert_eq!(error("jobs", item), "write `jobs = …`");
        assert_eq!(error("jobs = 1, jobs = 2", item), "`jobs` is given twice");
        assert_eq!(
            error("jobs = 0, spurious = 2", item),
            "`jobs` must be a number from 1; `spurious` must be true or false"
        );
    }

    #[test]
    fn only_plain_functions_are_tests() {
        assert!(error("", "async fn test() {}").contains("block_on"));
        assert!(error("", "fn test(n: u32) {}").contains("no parameters"));
        assert!(error("", "fn test<T>() {}").contains("generic"));
        assert!(error("", "fn test() -> u32 { 1 }").contains("returns nothing"));
        assert!(error("", "#[test] fn test() {}").contains("remove #[test]"));
        assert!(error("", "struct Test;").contains("is for functions"));
    }
}
