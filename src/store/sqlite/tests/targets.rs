//! What a store may be pointed at.

use proptest::prelude::*;

use super::super::location::Location;
use super::{Place, get, run, submit, text};
use crate::store::Backend;
use crate::store::sqlite::{SqliteOptions, SqliteStore};

fn store_on(target: &str) -> SqliteStore {
    SqliteStore::new(target, SqliteOptions::default())
}

#[test]
fn memory_is_told_from_files() {
    for target in [
        ":memory:",
        "",
        "file::memory:",
        "file:any?mode=memory",
        "file:any?cache=shared&mode=memory",
        "file:any?mode=%6demory#part",
        "file:/any?vfs=memdb",
    ] {
        assert!(Location::new(target).is_memory(), "{target}");
    }
    for target in [
        "mode=memory.db",
        "file:/tmp/mode=memory.db",
        "file:/tmp/a.db?mode=rw",
        "file:/tmp/:memory:x",
    ] {
        assert!(!Location::new(target).is_memory(), "{target}");
    }
}

#[test]
fn a_shared_cache_is_still_private() {
    let target = "file:private?mode=memory&cache=shared";
    let (one, other) = (store_on(target), store_on(target));
    let task = submit(&one, "mine").expect("accepted");
    assert!(get(&one, &task.id).expect("read").is_some());
    assert_eq!(get(&other, &task.id).expect("read"), None);
}

#[test]
fn relative_targets_are_absolute_from_the_start() {
    let here = std::env::current_dir().expect("a directory");
    for (target, name) in [
        ("a b.db", "a b.db"),
        ("file:a%20b.db", "a b.db"),
        ("file:a%23b%3fc.db?mode=rwc", "a#b?c.db"),
    ] {
        assert_eq!(
            Location::new(target).path(),
            Some(&*here.join(name)),
            "{target}"
        );
    }
}

#[test]
fn every_spelling_of_a_uri_is_the_same_file() {
    let place = Place::new();
    let path = place.file("per%cent #1?.db");
    let encoded = text(&path)
        .replace('%', "%25")
        .replace('#', "%23")
        .replace('?', "%3f");
    let plain = store_on(text(&path));
    let task = submit(&plain, "plain").expect("accepted");
    for uri in [
        format!("file:{encoded}"),
        format!("file://{encoded}"),
        format!("file://localhost{encoded}?mode=rw"),
    ] {
        let store = store_on(&uri);
        assert!(get(&store, &task.id).expect("read").is_some(), "{uri}");
        run(store.close()).expect("closed");
    }
}

#[test]
fn another_host_is_refused_and_nothing_is_made() {
    let place = Place::new();
    let path = place.file("made/tasks.db");
    let error = submit(&store_on(&format!("file://host{}", text(&path))), "x").unwrap_err();
    assert!(error.to_string().contains("authority"), "{error}");
    assert!(!path.exists());
}

#[test]
fn what_may_only_be_read_is_told_from_the_rest() {
    for (target, expected) in [
        ("file:a.db?mode=ro", true),
        ("file:a.db?cache=private&mode=%72o#part", true),
        ("file:a.db?immutable=1", true),
        ("file:a.db?immutable=ON", true),
        ("file:a.db?immutable=0", false),
        ("file:a.db?mode=rw", false),
        ("a.db?mode=ro", false),
        ("file:any?mode=memory", false),
    ] {
        assert_eq!(Location::new(target).is_read_only(), expected, "{target}");
    }
}

#[test]
fn who_may_only_read_shares_no_connection_with_who_may_write() {
    let place = Place::new();
    let uri = format!("file:{}?mode=ro", text(&place.path()));
    run(place.store().connect()).expect("made");
    for reader_first in [true, false] {
        let (reader, writer) = (store_on(&uri), place.store());
        let order = if reader_first {
            [&reader, &writer]
        } else {
            [&writer, &reader]
        };
        for store in order {
            run(store.connect()).expect("opened");
        }
        let error = submit(&reader, "refused").unwrap_err();
        assert_eq!(super::code(&error), "SQLITE_READONLY");
        let task = submit(&writer, "written").expect("accepted");
        assert!(get(&reader, &task.id).expect("read").is_some());
        run(reader.close()).expect("closed");
        run(writer.close()).expect("closed");
    }
}

#[test]
fn a_database_that_may_only_be_read_says_so() {
    let place = Place::new();
    let store = place.store();
    let task = submit(&store, "there").expect("accepted");
    run(store.close()).expect("closed");
    let reader = store_on(&format!("file:{}?mode=ro", text(&place.path())));
    assert!(get(&reader, &task.id).expect("read").is_some());
    let error = submit(&reader, "refused").unwrap_err();
    assert_eq!(super::code(&error), "SQLITE_READONLY");
    assert!(error.to_string().contains(text(&place.path())), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_path_survives_as_a_uri(path in "/[^\x00/]{1,10}(/[^\x00/.]{1,10}){0,2}", all: bool) {
        let escaped: String = path
            .bytes()
            .map(|byte| match byte {
                b'/' => "/".to_owned(),
                byte if all || !byte.is_ascii_alphanumeric() => format!("%{byte:02x}"),
                byte => char::from(byte).to_string(),
            })
            .collect();
        for uri in [format!("file:{escaped}"), format!("file://localhost{escaped}?mode=rw#x")] {
            let expected = std::path::absolute(&path).expect("a path");
            let location = Location::new(&uri);
            prop_assert_eq!(location.path(), Some(&*expected), "{}", uri);
        }
    }

    #[test]
    fn any_text_is_a_target(text in r"(file:)?[\PC%?#&=/]{0,30}") {
        let location = Location::new(&text);
        prop_assert_eq!(location.path().is_none(), location.is_memory());
    }
}
