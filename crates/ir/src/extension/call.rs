//! A call of an operation, as the operation sees it.

use super::{Contents, Failure};

/// Which alternative of an operation that chooses is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Alternative {
    /// The operation does not choose.
    #[default]
    Only,
    /// The one with this number, among at most so many; if there are fewer, or more, the operation blocks.
    Number {
        /// The number, from zero.
        chosen: u32,
        /// How many alternatives a model has transitions for.
        most: u32,
    },
    /// None: it is an error if there are more than so many, and blocks otherwise. So the alternatives that a model has no
    /// transitions for are not lost.
    Beyond(u32),
}

/// Why an operation was not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stopped {
    /// It cannot be: an error of the model.
    Failed(Failure),
    /// There is no such alternative.
    NoAlternative,
    /// There are more alternatives than so many.
    TooMany(u32),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Stopped::Failed(failure)
    }
}

/// A call of an operation.
#[derive(Debug)]
pub struct Call<'a> {
    args: &'a [i32],
    /// By argument, what is in it, if it is a value.
    values: &'a mut [Option<Contents>],
    /// The new value that the operation gives back, if it does.
    made: Option<&'a mut Contents>,
    alternative: Alternative,
}

impl<'a> Call<'a> {
    /// A call with arguments, what is in those that are values, and room for a new value.
    pub fn new(
        args: &'a [i32],
        values: &'a mut [Option<Contents>],
        made: Option<&'a mut Contents>,
        alternative: Alternative,
    ) -> Self {
        Call { args, values, made, alternative }
    }

    /// How many arguments there are.
    pub fn len(&self) -> usize {
        self.args.len()
    }

    /// Whether there are no arguments.
    pub fn is_empty(&self) -> bool {
        self.args.is_empty()
    }

    /// An argument: a number or a reference.
    ///
    /// # Panics
    /// There is no such argument.
    pub fn arg(&self, number: usize) -> i32 {
        self.args[number]
    }

    /// What is in an argument.
    ///
    /// # Panics
    /// It is not a value of an extension.
    pub fn value(&self, number: usize) -> &Contents {
        self.values[number].as_ref().expect("the argument is a value")
    }

    /// The same, to be changed.
    ///
    /// # Panics
    /// It is not a value of an extension.
    pub fn value_mut(&mut self, number: usize) -> &mut Contents {
        self.values[number].as_mut().expect("the argument is a value")
    }

    /// The value that is given back; it has no entries at first.
    ///
    /// # Panics
    /// The operation gives no value of an extension back.
    pub fn made(&mut self) -> &mut Contents {
        self.made.as_deref_mut().expect("the operation gives a value back")
    }

    /// Chooses one of so many alternatives. An operation that chooses does so once, before it changes anything.
    ///
    /// # Errors
    /// This alternative is not to be taken.
    pub fn choose(&self, number: usize) -> Result<usize, Stopped> {
        match self.alternative {
            Alternative::Number { chosen, most } if (chosen as usize) < number && number <= most as usize => {
                Ok(chosen as usize)
            }
            Alternative::Only | Alternative::Number { .. } => Err(Stopped::NoAlternative),
            Alternative::Beyond(most) if number > most as usize => Err(Stopped::TooMany(most)),
            Alternative::Beyond(_) => Err(Stopped::NoAlternative),
        }
    }

    /// Says so if the operation fails: only the first alternative does.
    ///
    /// # Errors
    /// It always gives one.
    pub fn fail<T>(&self, failure: Failure) -> Result<T, Stopped> {
        match self.alternative {
            Alternative::Only | Alternative::Number { chosen: 0, .. } => Err(failure.into()),
            Alternative::Number { .. } | Alternative::Beyond(_) => Err(Stopped::NoAlternative),
        }
    }
}
