'use strict';

// CommonJS because the generated loader is; behind a function so that importing the package neither
// maps the binary nor fails where there is none, and the failure says what to do.

const { version } = require('../package.json');

/** What there are platform packages for; each is named `@cairnq/native-` and this. */
const PLATFORMS = new Set([
  'linux-x64-gnu',
  'linux-arm64-gnu',
  'linux-x64-musl',
  'linux-arm64-musl',
  'darwin-x64',
  'darwin-arm64',
  'win32-x64-msvc',
  'win32-arm64-msvc',
]);

const FROM_SOURCE =
  'build it from source (`npm run build` in a checkout, with a Rust toolchain) and name the ' +
  '.node file in NAPI_RS_NATIVE_LIBRARY_PATH';

/** @type {typeof import('../native.cjs') | undefined} */
let addon;

/**
 * Gives the native classes, loading them the first time.
 *
 * @returns {typeof import('../native.cjs')}
 */
module.exports = function loadAddon() {
  addon ??= ofThisVersion(load());
  return addon;
};

function load() {
  try {
    return require('../native.cjs');
  } catch (cause) {
    throw new Error(explained(/** @type {Error} */ (cause)), { cause });
  }
}

/** @param {typeof import('../native.cjs')} loaded */
function ofThisVersion(loaded) {
  // A binary from before this function existed has none.
  const found = loaded.version?.() ?? 'unknown';
  if (found === version) return loaded;
  const given = process.env.NAPI_RS_NATIVE_LIBRARY_PATH;
  const remedy = given
    ? `NAPI_RS_NATIVE_LIBRARY_PATH names ${given}; build that file again from the same version`
    : 'install both again so that their versions are equal, or, in a checkout, `npm run build`';
  throw new Error(`@cairnq/native ${version} found a binary of version ${found}: ${remedy}`);
}

/** @param {Error} error the generated loader's: a chain with one cause for each file it tried, the first innermost */
function explained(error) {
  const platform = `${process.platform}-${process.arch}${abi()}`;
  const where = `${platform}, Node ${process.version}`;
  const reasons = causes(error);
  const given = process.env.NAPI_RS_NATIVE_LIBRARY_PATH;
  if (given) {
    return (
      `@cairnq/native cannot load ${given}, which NAPI_RS_NATIVE_LIBRARY_PATH names, on ${where} ` +
      `(${reasons.at(-1)}): name a binary built for this platform, or unset the variable`
    );
  }
  const unloadable = reasons.find((reason) => !/^(Cannot find module|Unsupported )/.test(reason));
  if (unloadable !== undefined) {
    return (
      `@cairnq/native has a binary that does not load on ${where} (${unloadable}): install on the ` +
      `platform that runs it, or ${FROM_SOURCE}`
    );
  }
  if (!PLATFORMS.has(platform)) {
    return `@cairnq/native has no prebuilt binary for ${where}: ${FROM_SOURCE}`;
  }
  return (
    `@cairnq/native has no binary for ${where}: install the optional dependency ` +
    `@cairnq/native-${platform} (do not pass --omit=optional, and install on the platform that ` +
    `runs it), or ${FROM_SOURCE}`
  );
}

/** @param {Error} error */
function causes(error) {
  const reasons = [];
  for (let met = error.cause; met instanceof Error; met = met.cause) {
    // The lines below the first say who asked for the module.
    reasons.push(met.message.split('\n')[0]);
  }
  return reasons;
}

function abi() {
  if (process.platform === 'win32') return '-msvc';
  if (process.platform !== 'linux') return '';
  return isMusl() ? '-musl' : '-gnu';
}

function isMusl() {
  const report = /** @type {any} */ (process.report);
  const { excludeNetwork } = report;
  try {
    // Without this a report looks every peer's name up.
    report.excludeNetwork = true;
    return report.getReport().header.glibcVersionRuntime === undefined;
  } finally {
    report.excludeNetwork = excludeNetwork;
  }
}
