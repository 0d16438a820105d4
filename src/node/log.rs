//! `CAIRNQ_LOG=debug` prints what the core does to stderr. Off by default, and then it costs a relaxed load.

use std::sync::Once;

use tracing_subscriber::EnvFilter;

/// Starts logging if the environment asks for it. A subscriber the program brought stays.
pub(super) fn start() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let Ok(level) = std::env::var("CAIRNQ_LOG") else {
            return;
        };
        let filter = EnvFilter::builder().parse_lossy(format!("cairnq_native={level}"));
        let subscriber = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(std::io::stderr)
            .finish();
        // Somebody else's subscriber is no error.
        let _ = tracing::subscriber::set_global_default(subscriber);
    });
}
