//! libpq's `key=value` strings: values may be quoted with `'`, and `\` takes the next character literally.

use std::iter::Peekable;
use std::str::Chars;

use super::{Keywords, invalid};
use crate::error::Result;

/// What libpq knows. A name outside this list is most likely a misspelling, and connecting without it would surprise.
const KNOWN: &[&str] = &[
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "password",
    "passfile",
    "connect_timeout",
    "client_encoding",
    "options",
    "application_name",
    "fallback_application_name",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_count",
    "tcp_user_timeout",
    "sslmode",
    "sslcompression",
    "sslcert",
    "sslkey",
    "sslpassword",
    "sslrootcert",
    "sslcrl",
    "sslcrldir",
    "sslsni",
    "sslnegotiation",
    "sslcertmode",
    "ssl_min_protocol_version",
    "ssl_max_protocol_version",
    "requirepeer",
    "require_auth",
    "channel_binding",
    "krbsrvname",
    "gssencmode",
    "gsslib",
    "gssdelegation",
    "target_session_attrs",
    "load_balance_hosts",
    "replication",
    "pgbouncer",
];

pub(super) fn parse(text: &str) -> Result<Keywords> {
    let mut keywords = Keywords::default();
    let mut rest = text.chars().peekable();
    loop {
        skip_space(&mut rest);
        if rest.peek().is_none() {
            return Ok(keywords);
        }
        let key = name(&mut rest)?;
        if !KNOWN.contains(&key.as_str()) {
            return Err(invalid(
                "expected postgres://..., postgresql://... or key=value pairs with the names libpq knows",
            ));
        }
        skip_space(&mut rest);
        let value = value(&mut rest)?;
        keywords.set(&key, value);
    }
}

fn skip_space(rest: &mut Peekable<Chars<'_>>) {
    while rest.next_if(char::is_ascii_whitespace).is_some() {}
}

/// The name up to and past its `=`.
fn name(rest: &mut Peekable<Chars<'_>>) -> Result<String> {
    let mut name = String::new();
    while let Some(character) =
        rest.next_if(|character| *character != '=' && !character.is_ascii_whitespace())
    {
        name.push(character);
    }
    skip_space(rest);
    match rest.next() {
        Some('=') => Ok(name),
        _ => Err(invalid("a name has no \"=\" after it")),
    }
}

fn value(rest: &mut Peekable<Chars<'_>>) -> Result<String> {
    let quoted = rest.next_if_eq(&'\'').is_some();
    let mut value = String::new();
    loop {
        match rest.next() {
            Some('\'') if quoted => return Ok(value),
            Some(character) if !quoted && character.is_ascii_whitespace() => return Ok(value),
            // A backslash at the very end stands for nothing, as in libpq.
            Some('\\') => value.extend(rest.next()),
            Some(character) => value.push(character),
            None if quoted => return Err(invalid("a quoted value does not end")),
            None => return Ok(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value_of(text: &str, key: &str) -> String {
        parse(text)
            .expect("a valid string")
            .get(key)
            .unwrap_or_default()
            .to_owned()
    }

    #[test]
    fn values_quoted_escaped_and_spaced() {
        let text = r"host = /var/run  port=5433 user='some one' password='it\'s \\ here' dbname=a\ b application_name=''";
        assert_eq!(value_of(text, "host"), "/var/run");
        assert_eq!(value_of(text, "port"), "5433");
        assert_eq!(value_of(text, "user"), "some one");
        assert_eq!(value_of(text, "password"), r"it's \ here");
        assert_eq!(value_of(text, "dbname"), "a b");
        assert_eq!(value_of(text, "application_name"), "");
        assert!(parse("").is_ok());
    }

    #[test]
    fn faults_are_told_without_the_text() {
        for text in [
            "host",
            "pasword=hunter2",
            "password='hunter2",
            "mysql://u:hunter2@h/d",
            "hunter2",
        ] {
            let error = parse(text).err().expect(text).to_string();
            assert!(!error.contains("hunter2"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn any_value_survives_quoting(value in r"[^\x00]{0,20}", spaces in r"[ \t\n]{0,3}") {
            let quoted = value.replace('\\', r"\\").replace('\'', r"\'");
            let text = format!("{spaces}password{spaces}={spaces}'{quoted}'{spaces}host=h");
            let keywords = parse(&text).expect("a valid string");
            prop_assert_eq!(keywords.0.get("password"), Some(&value));
            prop_assert_eq!(keywords.get("host"), Some("h"));
        }

        #[test]
        fn no_text_panics(text in r"\PC{0,40}") {
            let _ = super::super::parse(&text);
            let _ = super::super::parse(&format!("postgres://{text}"));
        }
    }
}
