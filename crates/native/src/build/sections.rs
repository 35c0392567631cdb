//! Which section of the object the assembly is in, and whether what stands there is run as code.

/// Sections that the linker puts among code whatever they are said to be.
const CODE: [&str; 7] = [".text", ".init", ".fini", ".plt", ".iplt", ".stub", ".gnu."];
/// What begins like some of them and is data.
const DATA: [&str; 2] = [".init_array", ".fini_array"];

/// Whether a line puts bytes where it stands.
pub(crate) fn is_data(line: &str) -> bool {
    const DATA: &str = ".byte .2byte .4byte .8byte .short .hword .value .word .int .long .quad .octa .ascii .asciz .string .string8 \
        .string16 .string32 .string64 .float .single .double .tfloat .zero .skip .space .fill .incbin .uleb128 .sleb128 .dc .dcb .ds";
    let Some(name) = line.split_whitespace().next() else { return false };
    let with_size = |data: &str| name.strip_prefix(data).is_some_and(|rest| rest.starts_with('.'));
    DATA.split_whitespace().any(|data| name == data) || [".dc", ".dcb", ".ds"].into_iter().any(with_size)
}

/// A section: its name, and whether it is code.
type Section<'a> = (&'a str, bool);

/// Where one is in the assembly of a file.
#[derive(Debug)]
pub(crate) struct Sections<'a> {
    now: Section<'a>,
    before: Section<'a>,
    pushed: Vec<(Section<'a>, Section<'a>)>,
    /// Those that have been said to be code.
    code: Vec<&'a str>,
}

impl Default for Sections<'_> {
    fn default() -> Self {
        let text = (".text", true);
        Sections { now: text, before: text, pushed: Vec::new(), code: Vec::new() }
    }
}

impl<'a> Sections<'a> {
    /// Goes on to the next line.
    pub(crate) fn follow(&mut self, line: &'a str) {
        if is_data(line.trim()) {
            // What looks like a directive may be a text.
            return;
        }
        for statement in line.split(';') {
            let statement = statement.trim();
            let (name, rest) = statement.split_at(statement.find(char::is_whitespace).unwrap_or(statement.len()));
            match name {
                ".text" | ".data" | ".bss" => self.change((name, name == ".text")),
                ".section" => {
                    let section = self.section(rest.trim());
                    self.change(section);
                }
                ".pushsection" => {
                    self.pushed.push((self.now, self.before));
                    let section = self.section(rest.trim());
                    self.change(section);
                }
                ".popsection" => {
                    if let Some((now, before)) = self.pushed.pop() {
                        (self.now, self.before) = (now, before);
                    }
                }
                ".previous" => std::mem::swap(&mut self.now, &mut self.before),
                _ => {}
            }
        }
    }

    /// Whether what stands here is run as code, or may be.
    pub(crate) fn is_code(&self) -> bool {
        self.now.1
    }

    fn change(&mut self, section: Section<'a>) {
        self.before = self.now;
        self.now = section;
    }

    /// The section that a directive names, with what it says of it.
    fn section(&mut self, text: &'a str) -> Section<'a> {
        let (name, says) = text.split_once(',').unwrap_or((text, ""));
        let name = name.trim().trim_matches('"');
        let flags = says.trim_start().strip_prefix('"').and_then(|rest| rest.split('"').next()).unwrap_or_default();
        let is_data = DATA.iter().any(|start| name.starts_with(start));
        let is_code = flags.contains('x')
            || flags.contains(|flag: char| flag.is_ascii_digit())
            || self.code.contains(&name)
            || !is_data && CODE.iter().any(|start| name.starts_with(start));
        if is_code && !self.code.contains(&name) {
            self.code.push(name);
        }
        (name, is_code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_code(lines: &'static str) -> bool {
        let mut sections = Sections::default();
        lines.lines().for_each(|line| sections.follow(line));
        sections.is_code()
    }

    #[test]
    fn code_is_told_from_data() {
        for code in [
            "",
            ".section .text,\"a\"",
            ".section .x,\"awx\"#,\"aw\"",
            ".data\n.previous",
            ".section .init",
            ".data; .text",
        ] {
            assert!(is_code(code), "{code}");
        }
        for data in [".data", ".section .rodata", ".section .init_array,\"aw\"", ".pushsection .bss\n.text\n.previous"]
        {
            assert!(!is_code(data), "{data}");
        }
        assert!(is_code(".pushsection .bss\n.popsection") && is_code(".section a,\"ax\"\n.data\n.section a"));
    }
}
