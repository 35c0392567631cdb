//! What `printf` and `printm` print.

use quotient_ir::Model;

/// The text of a print with these values. Escapes and directives are C's, plus `%e` for the name of an `mtype` value.
pub(crate) fn text(model: &Model, format: Option<&str>, mtype: Option<usize>, values: &[i32]) -> String {
    let name = |value: i32| model.show(mtype.or((!model.mtypes.is_empty()).then_some(0)), value);
    let mut values = values.iter().copied();
    let Some(format) = format else { return values.next().map_or_else(String::new, name) };
    let mut text = String::new();
    let mut rest = format.chars();
    while let Some(c) = rest.next() {
        match (c, c == '\\' || c == '%') {
            (_, false) => text.push(c),
            ('\\', _) => match rest.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some(other) => text.push(other),
                None => text.push('\\'),
            },
            _ => {
                let directive = rest.next();
                if directive == Some('%') {
                    text.push('%');
                    continue;
                }
                let Some(value) = values.next() else {
                    text.push('%');
                    text.extend(directive);
                    continue;
                };
                match directive {
                    Some('e') => text.push_str(&name(value)),
                    Some('c') => text.push(char::from(value as u8)),
                    Some('u') => text.push_str(&(value as u32).to_string()),
                    Some('x') => text.push_str(&format!("{value:x}")),
                    Some('o') => text.push_str(&format!("{value:o}")),
                    _ => text.push_str(&value.to_string()),
                }
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_and_escapes() {
        let model = Model { mtypes: vec![vec!["red".to_string(), "green".to_string()]], ..Model::default() };
        let print = |format: &str, values: &[i32]| text(&model, Some(format), Some(0), values);
        assert_eq!(print(r"%d %u %x %o %c%%\n", &[-1, -1, 255, 8, 65]), "-1 4294967295 ff 10 A%\n");
        assert_eq!(print(r"<%e>\t\q\\", &[2]), "<green>\tq\\");
        assert_eq!(print("%d %d", &[1]), "1 %d");
        assert_eq!(text(&model, None, None, &[1]), "red");
        assert_eq!(text(&model, None, None, &[9]), "9");
    }
}
