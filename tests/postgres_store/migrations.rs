//! Bringing a database up to date, once, and leaving alone what is.

use cairnq_native::error::Error;
use cairnq_native::protocol::MigrateTo;
use cairnq_native::store::Backend as _;
use cairnq_native::store::command::{Command, Reply};
use cairnq_native::store::postgres::PostgresOptions;
use sqlx::Executor as _;

use super::support::*;

const LEVEL: &str = "select value::bigint from cairnq_meta where key = 'schema_version'";

fn latest() -> PostgresOptions {
    PostgresOptions {
        migrate: Some(MigrateTo::Latest),
        ..PostgresOptions::default()
    }
}

#[test]
fn stores_that_start_together_migrate_once() {
    World::run(|world| async move {
        let stores: Vec<_> = (0..8).map(|_| world.store()).collect();
        let opening: Vec<_> = stores.iter().map(|store| store.connect()).collect();
        for open in opening {
            open.await.expect("connect");
        }
        assert_eq!(world.number(LEVEL).await, 6);
        assert_eq!(
            world.number("select count(*) from cairnq_migrations").await,
            6
        );
        let latest: Vec<_> = (0..4).map(|_| world.store_with(latest())).collect();
        let opening: Vec<_> = latest.iter().map(|store| store.connect()).collect();
        for open in opening {
            open.await.expect("connect");
        }
        assert_eq!(world.number(LEVEL).await, 10);
        assert_eq!(
            world.number("select count(*) from cairnq_migrations").await,
            10
        );
        world
            .store()
            .connect()
            .await
            .expect("a newer database is worked as it is");
        assert_eq!(world.number(LEVEL).await, 10);
    });
}

#[test]
fn a_migrated_database_is_opened_without_a_write_lock() {
    World::run(|world| async move {
        world.store().connect().await.expect("connect");
        let mut locker = world.connection().await;
        locker
            .execute("begin; lock table cairnq_migrations, cairnq_meta, cairnq_tasks, cairnq_task_keys in share mode")
            .await
            .expect("locked");
        within("opening", world.store().connect())
            .await
            .expect("connect");
        locker.execute("rollback").await.expect("unlocked");
    });
}

#[test]
fn the_key_index_is_made_where_it_is_missing_and_missed_where_it_may_not_be_made() {
    World::run(|world| async move {
        world.store().connect().await.expect("connect");
        world.sql("drop index cairnq_task_keys_task_id_idx").await;
        world.store().connect().await.expect("connect");
        let found =
            "select count(*) from pg_indexes where indexname = 'cairnq_task_keys_task_id_idx'";
        assert_eq!(world.number(found).await, 1);
        world.sql("drop index cairnq_task_keys_task_id_idx").await;
        world.set_read_only(true).await;
        world
            .store()
            .connect()
            .await
            .expect("a reader opens it all the same");
    });
}

#[test]
fn another_protocol_is_refused_on_every_use_until_close() {
    World::run(|world| async move {
        world.store().connect().await.expect("connect");
        world
            .sql("update cairnq_meta set value = '2' where key = 'protocol_version'")
            .await;
        let store = world.store();
        let mismatch = Err(Error::ProtocolVersionMismatch {
            version: "2".into(),
        });
        assert_eq!(store.execute(Command::ProtocolVersion).await, mismatch);
        world
            .sql("update cairnq_meta set value = '1' where key = 'protocol_version'")
            .await;
        assert_eq!(
            store.execute(Command::ProtocolVersion).await,
            mismatch,
            "until it is closed"
        );
        store.close().await.expect("close");
        assert_eq!(
            store.execute(Command::ProtocolVersion).await,
            Ok(Reply::Number(1))
        );
        world
            .sql("delete from cairnq_meta where key = 'protocol_version'")
            .await;
        let missing = world.store().connect().await;
        assert_eq!(
            missing,
            Err(Error::ProtocolVersionMismatch {
                version: "0".into()
            })
        );
    });
}

#[test]
fn a_failed_open_is_tried_again_by_the_next_use() {
    World::run(|world| async move {
        let store = world.store();
        world.set_read_only(true).await;
        assert!(store.connect().await.is_err());
        world.set_read_only(false).await;
        store.connect().await.expect("connect");
    });
}
