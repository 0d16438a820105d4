//! Texts that came down together are one text: its pieces are not copied, nor allocated by one thread and freed by another.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A piece of a text that others may have pieces of.
#[derive(Clone)]
pub struct Text {
    whole: Arc<str>,
    piece: Range<usize>,
}

impl Text {
    /// What lies between the separators, one after another.
    pub fn split(whole: &Arc<str>, separator: char) -> impl Iterator<Item = Self> {
        let mut start = 0;
        whole.split(separator).map(move |text| {
            let piece = start..start + text.len();
            start = piece.end + separator.len_utf8();
            Self {
                whole: Arc::clone(whole),
                piece,
            }
        })
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.whole[self.piece.clone()]
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self {
            whole: text.into(),
            piece: 0..text.len(),
        }
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_what_lies_between_the_separators() {
        let whole = Arc::from("one\n\nthrée\n");
        let pieces: Vec<String> = Text::split(&whole, '\n')
            .map(|text| text.to_string())
            .collect();
        assert_eq!(pieces, ["one", "", "thrée", ""]);
    }

    #[test]
    fn a_piece_outlives_the_others() {
        let whole = Arc::from("one\ntwo");
        let last = Text::split(&whole, '\n').last().expect("a piece");
        drop(whole);
        assert_eq!(&*last, "two");
        assert_eq!(format!("{last:?}"), "\"two\"");
    }
}
