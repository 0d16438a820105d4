/** What lib/addon.cjs says where there is no usable binary. Each case is a process of its own. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root } from '../../scripts/bootstrap.js';

const BINARY = readdirSync(root).find((name) => name.endsWith('.node'));
const HERE = BINARY.split('.')[1];
const LOADS = "console.log(require('./lib/addon.cjs')().version())";

/** Programs that make Node believe it runs elsewhere. */
const on = (platform, arch) =>
  `Object.defineProperties(process, { platform: { value: '${platform}' }, arch: { value: '${arch}' } });`;
const MUSL = `
  const fs = require('node:fs');
  const { readFileSync } = fs;
  fs.readFileSync = (file, ...rest) => {
    if (file === '/usr/bin/ldd') throw new Error('there is none');
    return readFileSync(file, ...rest);
  };
  process.report.getReport = () => ({ header: {}, sharedObjects: ['/lib/ld-musl-x86_64.so.1'] });`;

describe('the loader', () => {
  let folder;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'cairnq-loader-'));
    for (const file of ['lib/addon.cjs', 'native.cjs', 'package.json']) {
      cpSync(path.join(root, file), path.join(folder, file));
    }
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Installs a platform package with this as its main file. */
  function install(platform, main, content) {
    const place = path.join(folder, `node_modules/@cairnq/native-${platform}`);
    mkdirSync(place, { recursive: true });
    writeFileSync(path.join(place, 'package.json'), JSON.stringify({ main, version: '0.0.1' }));
    writeFileSync(path.join(place, main), content);
  }

  /** Runs a program; gives what it printed, or the message it ended with and all the causes of that. */
  function run(program, { env = {}, before = '' } = {}) {
    const said = `${before} try { ${program} } catch (error) {
      const causes = [];
      for (let cause = error.cause; cause; cause = cause.cause) causes.push(cause.message);
      console.log(JSON.stringify({ message: error.message, causes }));
    }`;
    const stdout = execFileSync(process.execPath, ['-e', said], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, NAPI_RS_NATIVE_LIBRARY_PATH: '', ...env },
    });
    return stdout.startsWith('{') ? JSON.parse(stdout) : { printed: stdout.trim() };
  }

  it('a missing binary: one message with platform, package and remedies', () => {
    const { message } = run(LOADS);
    expect(message).toBe(
      `@cairnq/native has no binary for ${HERE}, Node ${process.version}: install the optional ` +
        `dependency @cairnq/native-${HERE} (do not pass --omit=optional, and install on the ` +
        'platform that runs it), or build it from source (`npm run build` in a checkout, with a ' +
        'Rust toolchain) and name the .node file in NAPI_RS_NATIVE_LIBRARY_PATH',
    );
  });

  it.each([
    ['darwin', 'arm64', 'darwin-arm64'],
    ['darwin', 'x64', 'darwin-x64'],
    ['win32', 'arm64', 'win32-arm64-msvc'],
    ['win32', 'x64', 'win32-x64-msvc'],
    ['linux', 'arm64', 'linux-arm64-gnu'],
    ['linux', 'x64', 'linux-x64-gnu'],
  ])('on %s %s it asks for the package that the loader tried', (platform, arch, name) => {
    if (platform === 'linux' && HERE.endsWith('musl')) return;
    const { message, causes } = run(LOADS, { before: on(platform, arch) });
    expect(message).toContain(`the optional dependency @cairnq/native-${name} (`);
    expect(causes.join()).toContain(`'@cairnq/native-${name}'`);
  });

  it.each(['x64', 'arm64'])('tells musl from glibc on %s', (arch) => {
    const { message, causes } = run(LOADS, { before: on('linux', arch) + MUSL });
    expect(message).toContain(`no binary for linux-${arch}-musl, Node`);
    expect(message).toContain(`@cairnq/native-linux-${arch}-musl (`);
    expect(causes.join()).toContain(`'@cairnq/native-linux-${arch}-musl'`);
  });

  it.each([
    ['freebsd', 'x64'],
    ['linux', 'riscv64'],
  ])('on %s %s there is nothing to install', (platform, arch) => {
    const { message } = run(LOADS, { before: on(platform, arch) });
    expect(message).toMatch(/^@cairnq\/native has no prebuilt binary for (freebsd|linux-riscv64)/);
    expect(message).toContain('build it from source');
    expect(message).not.toContain('optional dependency');
  });

  it('a binary that does not load: the reason is in the message', () => {
    install(HERE, BINARY, 'this is no library');
    const { message } = run(LOADS);
    expect(message).toContain(`a binary that does not load on ${HERE}, Node ${process.version} (`);
    expect(message).toContain(path.join(folder, `node_modules/@cairnq/native-${HERE}`, BINARY));
  });

  it('NAPI_RS_NATIVE_LIBRARY_PATH comes before everything installed', () => {
    install(HERE, BINARY, 'this is no library');
    const env = { NAPI_RS_NATIVE_LIBRARY_PATH: path.join(root, BINARY) };
    expect(run(LOADS, { env })).toEqual({
      printed: run('console.log(require("./package.json").version)').printed,
    });
  });

  it('NAPI_RS_NATIVE_LIBRARY_PATH that leads nowhere is named', () => {
    const env = { NAPI_RS_NATIVE_LIBRARY_PATH: '/nowhere/addon.node' };
    const { message } = run(LOADS, { env });
    expect(message).toMatch(
      /^@cairnq\/native cannot load \/nowhere\/addon\.node, which NAPI_RS_NATIVE_LIBRARY_PATH names, on /,
    );
    expect(message).toContain("Cannot find module '/nowhere/addon.node'");
    expect(message).toContain('or unset the variable');
  });

  it('a binary of another version is refused with both versions', () => {
    install(HERE, 'other.js', "exports.version = () => '0.5.9'");
    const { message } = run(LOADS);
    expect(message).toMatch(
      /^@cairnq\/native \d+\.\d+\.\d+\S* found a binary of version 0\.5\.9: /,
    );
    expect(message).toContain('install both again so that their versions are equal');
  });

  it('a binary that cannot tell its version is refused', () => {
    const file = path.join(folder, 'other.js');
    writeFileSync(file, 'exports.NativeStore = class {}');
    const { message } = run(LOADS, { env: { NAPI_RS_NATIVE_LIBRARY_PATH: file } });
    expect(message).toContain('found a binary of version unknown');
    expect(message).toContain(`NAPI_RS_NATIVE_LIBRARY_PATH names ${file}; build that file again`);
  });

  it('importing the package needs no binary', () => {
    cpSync(path.join(root, 'lib'), path.join(folder, 'lib'), { recursive: true });
    cpSync(path.join(root, 'index.js'), path.join(folder, 'index.js'));
    expect(run("console.log(typeof require('./index.js').Worker)")).toEqual({
      printed: 'function',
    });
  });
});
