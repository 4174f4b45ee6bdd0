//! A tokenizer that loses nothing: joining the tokens' texts gives the source back.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Identifier or keyword.
    Word,
    /// Number.
    Number,
    /// One punctuation character.
    Punct,
    /// Blanks, comments and line continuations.
    Space,
    /// End of a line.
    Newline,
    /// `#` as the first thing on its line.
    Hash,
}

/// One token.
#[derive(Clone, Copy, Debug)]
pub struct Token<'a> {
    /// What it is.
    pub kind: Kind,
    /// Its characters.
    pub text: &'a str,
}

impl Token<'_> {
    /// True for the token that is exactly `text` and not a blank.
    pub fn is(&self, text: &str) -> bool {
        self.text == text && !matches!(self.kind, Kind::Space | Kind::Newline)
    }

    /// True if the token means something to the compiler.
    pub fn solid(&self) -> bool {
        !matches!(self.kind, Kind::Space | Kind::Newline)
    }
}

/// Splits `source` into tokens.
pub fn tokenize(source: &str) -> Vec<Token<'_>> {
    let bytes = source.as_bytes();
    let mut tokens = Vec::with_capacity(source.len() / 3);
    let mut at = 0;
    let mut line_start = true;
    while at < bytes.len() {
        let (kind, end) = scan(bytes, at, line_start);
        // `end` falls on a character boundary: every scanner stops at an ASCII byte or takes whole runs.
        let end = next_boundary(source, end.max(at + 1));
        let text = &source[at..end];
        line_start = match kind {
            Kind::Newline => true,
            Kind::Space => line_start,
            _ => false,
        };
        tokens.push(Token { kind, text });
        at = end;
    }
    tokens
}

fn next_boundary(source: &str, mut at: usize) -> usize {
    while !source.is_char_boundary(at) {
        at += 1;
    }
    at
}

fn run(bytes: &[u8], mut at: usize, keep: impl Fn(u8) -> bool) -> usize {
    while bytes.get(at).is_some_and(|&b| keep(b)) {
        at += 1;
    }
    at
}

fn scan(bytes: &[u8], at: usize, line_start: bool) -> (Kind, usize) {
    let peek = |n: usize| bytes.get(at + n).copied().unwrap_or(0);
    match bytes[at] {
        b'\r' if peek(1) == b'\n' => (Kind::Newline, at + 2),
        b'\n' | b'\r' => (Kind::Newline, at + 1),
        b' ' | b'\t' | 0x0b | 0x0c => {
            (Kind::Space, run(bytes, at, |b| matches!(b, b' ' | b'\t' | 0x0b | 0x0c)))
        }
        b'\\' if peek(1) == b'\n' => (Kind::Space, at + 2),
        b'\\' if peek(1) == b'\r' => (Kind::Space, at + if peek(2) == b'\n' { 3 } else { 2 }),
        b'/' if peek(1) == b'/' => (Kind::Space, line_comment(bytes, at)),
        b'/' if peek(1) == b'*' => (Kind::Space, block_comment(bytes, at)),
        b'#' if line_start => (Kind::Hash, at + 1),
        b'0'..=b'9' => (Kind::Number, number(bytes, at)),
        b'.' if peek(1).is_ascii_digit() => (Kind::Number, number(bytes, at)),
        b if b.is_ascii_alphabetic() || b == b'_' => {
            (Kind::Word, run(bytes, at, |b| b.is_ascii_alphanumeric() || b == b'_'))
        }
        _ => (Kind::Punct, at + 1),
    }
}

fn line_comment(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match bytes.get(at) {
            None | Some(b'\n') => return at,
            Some(b'\r') => return at,
            Some(b'\\') if bytes.get(at + 1) == Some(&b'\n') => at += 2,
            Some(b'\\') if bytes.get(at + 1..at + 3) == Some(b"\r\n") => at += 3,
            Some(_) => at += 1,
        }
    }
}

fn block_comment(bytes: &[u8], at: usize) -> usize {
    let body = &bytes[at + 2..];
    match body.windows(2).position(|pair| pair == b"*/") {
        Some(end) => at + 2 + end + 2,
        None => bytes.len(),
    }
}

fn number(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&b) = bytes.get(at) {
        let exponent_sign = matches!(b, b'+' | b'-')
            && matches!(bytes[at - 1], b'e' | b'E')
            && !bytes[..at].ends_with(b"0xe")
            && !bytes[..at].ends_with(b"0xE");
        if b.is_ascii_alphanumeric() || b == b'.' || b == b'_' || exponent_sign {
            at += 1;
        } else {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str) -> Vec<&str> {
        tokenize(source).into_iter().filter(|t| t.solid()).map(|t| t.text).collect()
    }

    #[test]
    fn joining_gives_the_source_back() {
        for source in ["", "a/*", "//\\\nx", "é\r\n#define é\\\r\n1", "1.e+5f .5 0xe+1", "/**/#if"]
        {
            let joined: String = tokenize(source).iter().map(|t| t.text).collect();
            assert_eq!(joined, source);
        }
    }

    #[test]
    fn numbers_keep_their_exponents() {
        assert_eq!(words("1.0e-5+x"), ["1.0e-5", "+", "x"]);
        assert_eq!(words("a.xy .5f"), ["a", ".", "xy", ".5f"]);
        assert_eq!(words("0xe+1"), ["0xe", "+", "1"]);
    }

    #[test]
    fn a_hash_is_a_directive_only_at_the_start() {
        let kinds: Vec<Kind> = tokenize("/* c */ # x\na # b").iter().map(|t| t.kind).collect();
        assert_eq!(kinds.iter().filter(|&&k| k == Kind::Hash).count(), 1);
    }
}
