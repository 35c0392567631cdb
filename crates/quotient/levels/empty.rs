//! Nothing: the packages around it have only tests. They are those of `quotient` at another opt-level.
