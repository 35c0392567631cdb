//! The arguments of the attribute. All mistakes are reported at once, each at its place.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Error, Expr, ExprLit, Ident, Lit, Result, Token};

/// What the attribute sets: calls of the builder's methods.
#[derive(Default)]
pub(crate) struct Arguments {
    pub calls: TokenStream,
}

/// One `name = value`.
struct Argument {
    name: Ident,
    value: Expr,
}

const NAMES: &str = "model, symmetry, jobs, max_executions, spurious";

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let name: Ident = input.parse()?;
        if !input.peek(Token![=]) {
            return Err(Error::new(name.span(), format!("write `{name} = …`")));
        }
        input.parse::<Token![=]>()?;
        Ok(Argument { name, value: input.parse()? })
    }
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let arguments = Punctuated::<Argument, Token![,]>::parse_terminated(input)?;
        let mut calls = TokenStream::new();
        let mut errors: Option<Error> = None;
        let mut seen: Vec<&Ident> = Vec::new();
        for argument in &arguments {
            let call = if seen.contains(&&argument.name) {
                Err(Error::new(argument.name.span(), format!("`{}` is given twice", argument.name)))
            } else {
                argument.call()
            };
            seen.push(&argument.name);
            match (call, &mut errors) {
                (Ok(call), _) => calls.extend(call),
                (Err(error), Some(errors)) => errors.combine(error),
                (Err(error), none) => *none = Some(error),
            }
        }
        errors.map_or(Ok(Arguments { calls }), Err)
    }
}

impl Argument {
    /// The call of the builder's method.
    fn call(&self) -> Result<TokenStream> {
        let value = &self.value;
        match self.name.to_string().as_str() {
            "model" => {
                let model = self.model()?;
                Ok(quote!(.model(::quotient::MemoryModel::#model)))
            }
            "symmetry" => self.truth().map(|()| quote!(.symmetry(#value))),
            "spurious" => self.truth().map(|()| quote!(.spurious_failures(#value))),
            "jobs" => self.number().map(|()| quote!(.jobs(#value))),
            "max_executions" => self.number().map(|()| quote!(.max_executions(#value))),
            other => Err(Error::new(self.name.span(), format!("there is no `{other}`; there are {NAMES}"))),
        }
    }

    fn model(&self) -> Result<TokenStream> {
        let name = match self.literal() {
            Some(Lit::Str(name)) => name.value(),
            _ => String::new(),
        };
        match name.as_str() {
            "sc" => Ok(quote!(Sc)),
            "tso" => Ok(quote!(Tso)),
            "ra" => Ok(quote!(Ra)),
            "rc11" => Ok(quote!(Rc11)),
            _ => Err(self.expected(r#""sc", "tso", "ra" or "rc11""#)),
        }
    }

    fn truth(&self) -> Result<()> {
        match self.literal() {
            Some(Lit::Bool(_)) => Ok(()),
            _ => Err(self.expected("true or false")),
        }
    }

    fn number(&self) -> Result<()> {
        match self.literal() {
            Some(Lit::Int(number)) if number.base10_parse::<u64>().is_ok_and(|number| number > 0) => Ok(()),
            _ => Err(self.expected("a number from 1")),
        }
    }

    fn literal(&self) -> Option<&Lit> {
        match &self.value {
            Expr::Lit(ExprLit { lit, .. }) => Some(lit),
            _ => None,
        }
    }

    fn expected(&self, values: &str) -> Error {
        Error::new_spanned(&self.value, format!("`{}` must be {values}", self.name))
    }
}
