//! `postgres://` URLs, with what libpq allows (several hosts, socket directories) and what node-postgres users write
//! (`ssl=true`, `sslmode=no-verify`, percent signs and `#` in passwords that nobody escaped).

use super::{Keywords, invalid};
use crate::error::Result;

/// Server settings that node-postgres takes as parameters of the URL.
const SERVER_SETTINGS: &[&str] = &[
    "statement_timeout",
    "lock_timeout",
    "idle_in_transaction_session_timeout",
];

/// Reads what follows `postgres://`.
pub(super) fn parse(rest: &str) -> Result<Keywords> {
    let mut keywords = Keywords::default();
    let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let hosts = match authority.rsplit_once('@') {
        None => authority,
        Some((login, hosts)) => {
            let (user, password) = login
                .split_once(':')
                .map_or((login, None), |(user, word)| (user, Some(word)));
            keywords.set("user", decoded(user)?);
            if let Some(password) = password {
                keywords.set("password", decoded(password)?);
            }
            hosts
        }
    };
    set_hosts(&mut keywords, hosts)?;
    let path = path.split_once('#').map_or(path, |(path, _fragment)| path);
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let database = decoded(path.strip_prefix('/').unwrap_or(path))?;
    if !database.is_empty() {
        keywords.set("dbname", database);
    }
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        set_parameter(&mut keywords, &decoded(key)?, decoded(value)?);
    }
    Ok(keywords)
}

/// `host:port,host:port`, where a host may be an IPv6 address in brackets.
fn set_hosts(keywords: &mut Keywords, text: &str) -> Result<()> {
    let (mut hosts, mut ports) = (Vec::new(), Vec::new());
    for one in text.split(',') {
        let (host, port) = match one.strip_prefix('[').map(|inner| inner.split_once(']')) {
            Some(Some((host, after))) => (host, after.strip_prefix(':').unwrap_or(after)),
            Some(None) => return Err(invalid("an address in brackets does not end")),
            None => one.split_once(':').unwrap_or((one, "")),
        };
        hosts.push(decoded(host)?);
        ports.push(decoded(port)?);
    }
    if hosts.iter().any(|host| !host.is_empty()) {
        keywords.set("host", hosts.join(","));
    }
    if ports.iter().any(|port| !port.is_empty()) {
        keywords.set("port", ports.join(","));
    }
    Ok(())
}

fn set_parameter(keywords: &mut Keywords, key: &str, value: String) {
    match key {
        // As libpq reads JDBC's spelling, which is node-postgres's too.
        "ssl" => keywords.set(
            "sslmode",
            if matches!(value.as_str(), "true" | "1") {
                "require"
            } else {
                "disable"
            },
        ),
        _ if SERVER_SETTINGS.contains(&key) => {
            let options = keywords
                .get("options")
                .map(|options| format!("{options} "))
                .unwrap_or_default();
            keywords.set(
                "options",
                format!(
                    "{options}-c {key}={}",
                    value.replace('\\', r"\\").replace(' ', r"\ ")
                ),
            );
        }
        "options" => {
            let options = keywords
                .get("options")
                .map(|options| format!("{options} "))
                .unwrap_or_default();
            keywords.set("options", options + &value);
        }
        _ => keywords.set(key, value),
    }
}

/// Percent-decoding that leaves a `%` alone when no two hexadecimal digits follow it.
fn decoded(text: &str) -> Result<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let escaped = if byte == b'%' {
            after.get(..2).and_then(hexadecimal)
        } else {
            None
        };
        out.push(escaped.unwrap_or(byte));
        rest = if escaped.is_some() {
            &after[2..]
        } else {
            after
        };
    }
    let text = String::from_utf8(out).map_err(|_| invalid("a percent escape is not UTF-8"))?;
    if text.contains('\0') {
        Err(invalid("it holds a NUL character"))
    } else {
        Ok(text)
    }
}

fn hexadecimal(digits: &[u8]) -> Option<u8> {
    let text = std::str::from_utf8(digits)
        .ok()
        .filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u8::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::parse;

    fn keyword(dsn: &str, key: &str) -> Option<String> {
        parse(dsn).expect("a valid URL").get(key).map(str::to_owned)
    }

    fn expect(dsn: &str, wanted: &[(&str, &str)]) {
        for (key, value) in wanted {
            assert_eq!(keyword(dsn, key).as_deref(), Some(*value), "{key}");
        }
    }

    #[test]
    fn the_parts_of_a_url() {
        expect(
            "postgresql://us%40er:p%3Aw@db.example:6543/my%20db?sslmode=verify-full&application_name=app&options=-c%20a%3Db",
            &[
                ("user", "us@er"),
                ("password", "p:w"),
                ("host", "db.example"),
                ("port", "6543"),
                ("dbname", "my db"),
                ("sslmode", "verify-full"),
                ("application_name", "app"),
                ("options", "-c a=b"),
            ],
        );
    }

    #[test]
    fn sockets_and_several_hosts() {
        expect(
            "postgres:///db?host=/var/run/postgresql&port=5433",
            &[("host", "/var/run/postgresql"), ("port", "5433")],
        );
        expect(
            "postgres://u@%2Ftmp%2Fsock/db",
            &[("host", "/tmp/sock"), ("user", "u")],
        );
        expect(
            "postgres://[::1]:5433/db",
            &[("host", "::1"), ("port", "5433")],
        );
        expect(
            "postgres://a:1,b,[::1]:3/db",
            &[("host", "a,b,::1"), ("port", "1,,3")],
        );
        assert_eq!(keyword("POSTGRES:///db", "host"), None);
    }

    #[test]
    fn what_node_postgres_users_write() {
        expect("postgres://u:p@h/d?ssl=true", &[("sslmode", "require")]);
        expect("postgres://u:p@h/d?ssl=0", &[("sslmode", "disable")]);
        expect("postgres://u:100%sure@h/d", &[("password", "100%sure")]);
        expect(
            "postgres://u:a#b@c@h/d",
            &[("password", "a#b@c"), ("host", "h")],
        );
        expect(
            "postgres://h/d?statement_timeout=5000",
            &[("options", "-c statement_timeout=5000")],
        );
    }

    #[test]
    fn a_bad_url_is_refused_without_being_repeated() {
        for dsn in [
            "postgres://u:hunter2@[::1/d",
            "postgres://u:hunter2%ff@h/d",
            "postgres://u:hunter2%00@h/d",
        ] {
            let error = parse(dsn).err().expect(dsn).to_string();
            assert!(!error.contains("hunter2"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn any_password_survives_escaping(password in r"[^\x00]{1,20}", user in "[^\x00]{1,10}") {
            let escaped = |text: &str| {
                text.bytes().fold(String::new(), |out, byte| format!("{out}%{byte:02X}"))
            };
            let dsn = format!("postgres://{}:{}@host/db", escaped(&user), escaped(&password));
            prop_assert_eq!(keyword(&dsn, "password"), Some(password));
            prop_assert_eq!(keyword(&dsn, "user"), Some(user));
        }
    }
}
