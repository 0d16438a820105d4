use proptest::prelude::*;

use super::super::parse;
use super::*;

fn target(dsn: &str, variables: &[(&str, &str)]) -> Result<Target> {
    Target::new(&parse(dsn)?, |name| {
        variables
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| (*value).to_owned())
    })
}

fn host(name: &str, port: u16) -> Host {
    Host {
        name: Some(name.to_owned()),
        address: None,
        port,
    }
}

#[test]
fn the_dsn_goes_before_the_environment() {
    let variables = [
        ("PGHOST", "envhost"),
        ("PGPORT", "7000"),
        ("PGUSER", "envuser"),
        ("PGPASSWORD", "envword"),
        ("PGSSLMODE", "require"),
    ];
    let from_env = target("", &variables).expect("a target");
    assert_eq!(from_env.hosts, [host("envhost", 7000)]);
    assert_eq!(from_env.password.as_deref(), Some("envword"));
    assert_eq!(from_env.ssl_mode, SslMode::Require);
    let from_dsn = target("postgres://u:p@h:1/d?sslmode=disable", &variables).expect("a target");
    assert_eq!(from_dsn.hosts, [host("h", 1)]);
    assert_eq!(
        (from_dsn.user.as_deref(), from_dsn.password.as_deref()),
        (Some("u"), Some("p"))
    );
    assert_eq!(from_dsn.ssl_mode, SslMode::Disable);
}

#[test]
fn several_hosts_share_a_port_or_have_their_own() {
    let ports = |dsn: &str| -> Vec<u16> {
        target(dsn, &[])
            .expect(dsn)
            .hosts
            .iter()
            .map(|host| host.port)
            .collect()
    };
    assert_eq!(ports("host=a,b port=1"), [1, 1]);
    assert_eq!(ports("host=a,b port=1,2"), [1, 2]);
    assert_eq!(ports("postgres://a:1,b/d"), [1, 5432]);
    assert!(target("host=a,b,c port=1,2", &[]).is_err());
    assert!(target("port=0", &[]).is_err());
    assert!(target("port=65536", &[]).is_err());
}

#[test]
fn an_address_says_where_and_the_name_says_who() {
    let both = |dsn: &str| -> Vec<(String, String)> {
        let hosts = target(dsn, &[]).expect(dsn).hosts;
        let pair = |host: &Host| (host.label().to_owned(), host.reach().to_owned());
        hosts.iter().map(pair).collect()
    };
    let pair = |label: &str, reach: &str| (label.to_owned(), reach.to_owned());
    assert_eq!(both("host=a hostaddr=10.0.0.1"), [pair("a", "10.0.0.1")]);
    assert_eq!(
        both("host=a,b hostaddr=10.0.0.1,10.0.0.2"),
        [pair("a", "10.0.0.1"), pair("b", "10.0.0.2")]
    );
    assert_eq!(both("hostaddr=10.0.0.1"), [pair("10.0.0.1", "10.0.0.1")]);
    assert_eq!(
        both("postgres://a,b/d?hostaddr=,10.0.0.2"),
        [pair("a", "a"), pair("b", "10.0.0.2")]
    );
    assert_eq!(both(""), [pair("localhost", "localhost")]);
    assert!(target("host=a,b hostaddr=10.0.0.1", &[]).is_err());
    let only = &target("hostaddr=10.0.0.1", &[]).expect("a target").hosts[0];
    assert_eq!(only.name, None);
}

#[test]
fn sslmode_as_libpq_reads_it() {
    assert_eq!(target("", &[]).expect("a target").ssl_mode, SslMode::Prefer);
    assert_eq!(
        target("sslrootcert=system", &[])
            .expect("a target")
            .ssl_mode,
        SslMode::VerifyFull
    );
    assert!(target("sslrootcert=system sslmode=require", &[]).is_err());
    assert!(target("sslmode=sometimes", &[]).is_err());
}

#[test]
fn debug_keeps_the_password_to_itself() {
    let shown = format!(
        "{:?}",
        target("postgres://u:hunter2@h/d", &[]).expect("a target")
    );
    assert!(!shown.contains("hunter2"), "{shown}");
}

/// Keywords and values that are nearly right more often than noise.
fn any_pair() -> impl Strategy<Value = (&'static str, String)> {
    let keys = [
        "host",
        "hostaddr",
        "port",
        "dbname",
        "user",
        "password",
        "options",
        "sslmode",
        "sslrootcert",
        "connect_timeout",
        "target_session_attrs",
        "pgbouncer",
    ];
    let values = prop_oneof![
        r"[a-z0-9,.:/\[\]%@' \\=-]{0,12}",
        r"[^\x00]{0,8}",
        proptest::sample::select(vec![
            "",
            "5432",
            "1,2",
            "0",
            "-1",
            "99999",
            "a,b",
            "/tmp",
            "system",
            "require",
            "verify-full",
            "read-write",
            "true",
        ])
        .prop_map(str::to_owned),
    ];
    (proptest::sample::select(keys.to_vec()), values)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_keywords_are_a_target_or_refused_without_the_password(
        pairs in proptest::collection::vec(any_pair(), 0..6),
        in_environment in proptest::collection::vec(("PG(HOST|PORT|SSLMODE|CONNECT_TIMEOUT)", r"[^\x00]{0,8}"), 0..3),
        as_url: bool,
    ) {
        const SECRET: &str = "s3cr3t-w0rd";
        let escaped = |text: &str| {
            text.bytes().fold(String::new(), |out, byte| format!("{out}%{byte:02X}"))
        };
        let quoted = |text: &str| text.replace('\\', r"\\").replace('\'', r"\'");
        let dsn = if as_url {
            let parameters: Vec<String> =
                pairs.iter().map(|(key, value)| format!("{key}={}", escaped(value))).collect();
            format!("postgres://someone:{SECRET}@h/d?{}", parameters.join("&"))
        } else {
            pairs
                .iter()
                .fold(format!("password={SECRET}"), |out, (key, value)| format!("{out} {key}='{}'", quoted(value)))
        };
        let variables: Vec<(&str, &str)> =
            in_environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        match target(&dsn, &variables) {
            Ok(target) => {
                prop_assert!(!target.hosts.is_empty());
                prop_assert!(target.hosts.iter().all(|host| host.port > 0 && !host.reach().is_empty()));
                prop_assert!(target.connect_timeout >= SHORTEST_CONNECT_TIMEOUT);
                let shown = format!("{target:?}");
                prop_assert!(!shown.contains(SECRET));
            }
            Err(error) => prop_assert!(!error.to_string().contains(SECRET), "{error}"),
        }
    }
}
