//! What `jsonb` refuses in a JSON text that JavaScript made: `\u0000`, and surrogates that do not form a pair.

use std::borrow::Cow;

use crate::error::{Error, Result};

/// U+FFFD as an escape, in the place of what cannot be stored.
const REPLACEMENT: &str = "\\ufffd";

/// An escape that `jsonb` refuses.
struct Refused {
    at: usize,
    unit: u16,
}

/// Finds the first refused escape at or after `from`. Escapes occur in strings only, so the text need not be parsed.
fn find(text: &str, from: usize) -> Option<Refused> {
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(offset) = bytes.get(at..)?.iter().position(|byte| *byte == b'\\') {
        at += offset;
        let Some(unit) = code_unit(bytes, at) else {
            // Another escape, an escaped backslash among them: its second byte is not the start of anything.
            at += 2;
            continue;
        };
        match unit {
            0xD800..=0xDBFF if matches!(code_unit(bytes, at + 6), Some(0xDC00..=0xDFFF)) => {
                at += 12;
            }
            0 | 0xD800..=0xDFFF => return Some(Refused { at, unit }),
            _ => at += 6,
        }
    }
    None
}

/// The value of a `\uXXXX` at `at`.
fn code_unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Refuses a text that `jsonb` would refuse, in the caller's terms.
pub(super) fn check(text: &str) -> Result<()> {
    match find(text, 0) {
        None => Ok(()),
        Some(refused) => Err(Error::Serialization(format!(
            "\\u{:04x} cannot be stored as jsonb by Postgres",
            refused.unit
        ))),
    }
}

/// The text with every refused escape replaced by U+FFFD.
pub(super) fn storable(text: &str) -> Cow<'_, str> {
    let Some(first) = find(text, 0) else {
        return Cow::Borrowed(text);
    };
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    let mut next = Some(first);
    while let Some(Refused { at, .. }) = next {
        out.push_str(&text[copied..at]);
        out.push_str(REPLACEMENT);
        copied = at + 6;
        next = find(text, copied);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// A text column cannot hold NUL either. A remark for people is kept readable rather than refused.
pub(super) fn storable_text(text: &str) -> Cow<'_, str> {
    if text.contains('\0') {
        Cow::Owned(text.replace('\0', "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_escaped_backslash_is_no_escape() {
        for text in [
            r#""\\u0000""#,
            r#""\\\\u0000""#,
            r#""\\ud800""#,
            r#""\ud83d\ude00""#,
            r#""\u00e9""#,
            "1",
            "",
        ] {
            assert_eq!(storable(text), text);
            assert!(check(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn what_jsonb_refuses_is_found() {
        for (text, kept) in [
            (r#""\u0000""#, r#""\ufffd""#),
            (r#""\\\u0000""#, r#""\\\ufffd""#),
            (r#""\ud800""#, r#""\ufffd""#),
            (r#""\ud800\u0041""#, r#""\ufffd\u0041""#),
            (r#""\ud800\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\udc00\ud800""#, r#""\ufffd\ufffd""#),
            (r#"{"\u0000a":"b\u0000"}"#, r#"{"\ufffda":"b\ufffd"}"#),
        ] {
            assert!(
                matches!(check(text), Err(Error::Serialization(_))),
                "{text}"
            );
            assert_eq!(storable(text), kept);
        }
    }

    proptest! {
        /// serde_json refuses lone surrogates too, and decodes what is left.
        #[test]
        fn a_string_is_refused_for_what_it_means(text in r"(\\u(0000|[dD][89abAB][0-9a-f]{2}|d[c-f][0-9a-f]{2}|00e9)|\\\\|\\n|\\/|[a-z{}]|é)*") {
            let text = format!("\"{text}\"");
            let sound = serde_json::from_str::<String>(&text).is_ok_and(|meant| !meant.contains('\0'));
            prop_assert_eq!(check(&text).is_ok(), sound, "{}", text);
            let kept = serde_json::from_str::<String>(&storable(&text));
            prop_assert!(kept.is_ok_and(|meant| !meant.contains('\0')), "{}", text);
        }

        #[test]
        fn what_is_storable_stays_so(text in r#"(\\u(0000|d8[0-9a-f]{2}|dc[0-9a-f]{2}|00e9)|\\\\|\\n|[a-z"{}])*"#) {
            let kept = storable(&text).into_owned();
            prop_assert!(check(&kept).is_ok());
            prop_assert_eq!(storable(&kept).into_owned(), kept.clone());
        }
    }
}
