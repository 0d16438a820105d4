use proptest::prelude::*;
use serde_json::Value;

use crate::error::Error;

fn any_error() -> impl Strategy<Value = Error> {
    prop_oneof![
        any::<String>().prop_map(|task_id| Error::LostLease { task_id }),
        any::<String>().prop_map(|key| Error::AlreadyExists { key }),
        any::<String>().prop_map(|version| Error::ProtocolVersionMismatch { version }),
        any::<String>().prop_map(Error::Serialization),
        any::<String>().prop_map(Error::Invalid),
        any::<String>().prop_map(Error::Internal),
        (any::<Option<String>>(), any::<String>(), any::<bool>()).prop_map(
            |(code, message, passing)| Error::Database {
                code,
                message,
                passing
            }
        ),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn an_error_keeps_its_message_and_code(error in any_error()) {
        let json: Value = serde_json::from_str(&error.to_json()).expect("an error is JSON");
        prop_assert_eq!(&json["message"], &Value::from(error.to_string()));
        prop_assert!(json["name"].is_string());
        match &error {
            Error::Database { code, .. } => prop_assert_eq!(json["code"].as_str(), code.as_deref()),
            Error::LostLease { task_id } => prop_assert_eq!(json["taskId"].as_str(), Some(task_id.as_str())),
            Error::AlreadyExists { key } => prop_assert_eq!(json["key"].as_str(), Some(key.as_str())),
            _ => {}
        }
    }
}
