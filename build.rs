//! Links the addon the way Node expects it on each platform.

fn main() {
    napi_build::setup();
    // A macOS library bears its own name, which is the path it was linked at unless another is given.
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("macos") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/cairnq-native.node");
    }
}
