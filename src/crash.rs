//! Places where a test breaks the program on purpose, to see that nothing is lost.
//!
//! `CAIRNQ_CRASH_POINT=NAME:ACTION:N` acts when the place called NAME is reached for the N-th time: `abort` ends the
//! process as a power cut would, `panic` panics there. Only builds with debug assertions have the places: a release
//! holds neither their names nor the variable's.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

/// What was asked for.
struct Asked {
    point: String,
    panics: bool,
    at: u64,
}

static ASKED: LazyLock<Option<Asked>> = LazyLock::new(|| {
    let text = std::env::var("CAIRNQ_CRASH_POINT").ok()?;
    let asked = parse(&text);
    assert!(
        asked.is_some(),
        "CAIRNQ_CRASH_POINT={text} is not NAME:abort|panic:N"
    );
    asked
});

static REACHED: LazyLock<Mutex<HashMap<&'static str, u64>>> = LazyLock::new(Mutex::default);

fn parse(text: &str) -> Option<Asked> {
    let mut parts = text.split(':');
    let (point, action, at) = (parts.next()?, parts.next()?, parts.next()?);
    let panics = match action {
        "abort" => false,
        "panic" => true,
        _ => return None,
    };
    Some(Asked {
        point: point.to_owned(),
        panics,
        at: at.parse().ok()?,
    })
}

/// Counts an arrival at `point`, and breaks off there when that is what was asked for.
pub(crate) fn reached(point: &'static str) {
    let Some(asked) = ASKED.as_ref() else { return };
    if asked.point != point {
        return;
    }
    let count = {
        let mut reached = REACHED.lock().unwrap_or_else(PoisonError::into_inner);
        let count = reached.entry(point).or_default();
        *count += 1;
        *count
    };
    if count != asked.at {
        return;
    }
    assert!(
        !asked.panics,
        "a panic at {point}, as CAIRNQ_CRASH_POINT asks"
    );
    std::process::abort();
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_point_is_name_action_and_count() {
        let asked = parse("after-commit:abort:3").expect("well formed");
        assert_eq!(
            (asked.point.as_str(), asked.panics, asked.at),
            ("after-commit", false, 3)
        );
        assert!(parse("after-commit:panic:1").expect("well formed").panics);
        assert!(parse("after-commit").is_none());
        assert!(parse("after-commit:explode:1").is_none());
        assert!(parse("after-commit:abort:soon").is_none());
    }
}
