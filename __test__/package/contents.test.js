/** What the tarballs hold and say of themselves. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { binPath, root } from '../../scripts/bootstrap.js';
import { packAll } from '../../scripts/packages.js';

/** Every platform package, and which machines npm installs it on. */
const PLATFORMS = {
  'darwin-arm64': { os: ['darwin'], cpu: ['arm64'] },
  'darwin-x64': { os: ['darwin'], cpu: ['x64'] },
  'linux-arm64-gnu': { os: ['linux'], cpu: ['arm64'], libc: ['glibc'] },
  'linux-arm64-musl': { os: ['linux'], cpu: ['arm64'], libc: ['musl'] },
  'linux-x64-gnu': { os: ['linux'], cpu: ['x64'], libc: ['glibc'] },
  'linux-x64-musl': { os: ['linux'], cpu: ['x64'], libc: ['musl'] },
  'win32-arm64-msvc': { os: ['win32'], cpu: ['arm64'] },
  'win32-x64-msvc': { os: ['win32'], cpu: ['x64'] },
};

/** Files that npm packs whatever `files` says. */
const ALWAYS = ['LICENSE', 'README.md', 'package.json'];

/** What is made by the build and yet belongs into the package. */
const GENERATED = ['native.cjs'];

/** Unpacked, without the binary; a file that strayed in would be noticed. */
const SIZE_LIMIT_BYTES = 1_000_000;
const DASHBOARD_LIMIT_BYTES = 300_000;

const json = (...names) => JSON.parse(readFileSync(path.join(...names), 'utf8'));
const checkout = json(root, 'package.json');

const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');

describe('the tarballs', () => {
  let out;
  let packed;
  let published;
  let files;

  beforeAll(() => {
    out = mkdtempSync(path.join(tmpdir(), 'cairnq-contents-'));
    packed = packAll({ out });
    published = json(out, 'package/package.json');
    files = filesIn(packed.main);
  }, 300_000);

  afterAll(() => rmSync(out, { recursive: true, force: true }));

  it('the package holds what `files` names, and all of it', () => {
    const entries = [...checkout.files, ...ALWAYS];
    const named = (file) => entries.some((entry) => file === entry || file.startsWith(`${entry}/`));
    const wanted = [...tracked.filter(named), ...GENERATED];
    expect(files).toEqual(wanted.sort());
  });

  it('the package holds sources, declarations and texts: no binary, no map, no test', () => {
    const odd = files.filter(
      (file) => !/(?:\.(?:c?js|d\.ts|md|html|css|svg)|LICENSE|package\.json)$/.test(file),
    );
    expect(odd).toEqual([]);
    expect(
      files.filter((file) => /(^|[/.])(__test__|tests?|bench|src)[/.]|\.map$|\.node$/.test(file)),
    ).toEqual([]);
  });

  it('the package is small', () => {
    expect(packageSize(path.join(out, 'package'), files)).toBeLessThan(SIZE_LIMIT_BYTES);
  });

  it('nothing runs at installation and nothing of the checkout is left', () => {
    expect(published).not.toHaveProperty('scripts');
    expect(published).not.toHaveProperty('devDependencies');
    expect(published).not.toHaveProperty('napi');
    expect(published.version).toBe(checkout.version);
  });

  it('what `exports` and `bin` name is there', () => {
    const targets = (value) =>
      typeof value === 'string' ? [value] : Object.values(value).flatMap(targets);
    const bins = targets(published.bin ?? {});
    for (const target of [...targets(published.exports), ...bins]) {
      expect(files).toContain(target.replace(/^\.\//, ''));
    }
    for (const bin of bins) {
      expect(readFileSync(path.join(out, 'package', bin), 'utf8'), bin).toMatch(
        /^#!\/usr\/bin\/env node\n/,
      );
    }
  });

  it('the package depends on exactly this version of every platform package', () => {
    const names = Object.keys(PLATFORMS).map((platform) => `@cairnq/native-${platform}`);
    const versions = names.map((name) => [name, checkout.version]);
    expect(published.optionalDependencies).toEqual(Object.fromEntries(versions));
    expect(published.dependencies).toBe(undefined);
  });

  it.each(Object.entries(PLATFORMS))(
    'the package for %s says where it belongs',
    (name, machines) => {
      const manifest = json(out, 'npm', name, 'package.json');
      const binary = `cairnq-native.${name}.node`;
      expect(manifest).toMatchObject({
        name: `@cairnq/native-${name}`,
        version: checkout.version,
        license: checkout.license,
        engines: checkout.engines,
        main: binary,
        files: [binary, 'LICENSE', 'THIRD-PARTY.md'],
        ...machines,
      });
      expect('libc' in manifest).toBe('libc' in machines);
      for (const field of ['scripts', 'dependencies', 'devDependencies'])
        expect(manifest).not.toHaveProperty(field);
    },
  );

  it('the dashboard holds what it serves and what serves it, and asks for this release', () => {
    const manifest = json(out, 'dashboard/package.json');
    const server = tracked.filter((file) => file.startsWith('dashboard/server/'));
    const wanted = ['bin.js', 'index.js', 'index.d.ts', ...ALWAYS];
    const found = filesIn(packed.dashboard);
    const built = found.filter((file) => file.startsWith('dist/'));
    expect(built.map((file) => path.extname(file)).sort()).toEqual([
      '.css',
      '.html',
      '.js',
      '.md',
      '.svg',
    ]);
    expect(found.filter((file) => !built.includes(file))).toEqual(
      [...wanted, ...server.map((file) => path.relative('dashboard', file))].sort(),
    );
    expect(manifest.version).toBe(checkout.version);
    expect(manifest.peerDependencies).toEqual({ '@cairnq/native': `^${checkout.version}` });
    for (const field of ['scripts', 'dependencies', 'devDependencies', 'private'])
      expect(manifest).not.toHaveProperty(field);
    expect(packageSize(path.join(out, 'dashboard'), found)).toBeLessThan(DASHBOARD_LIMIT_BYTES);
  });

  it("this platform's package holds the binary, and whose code it is", () => {
    const [[name, tarball]] = Object.entries(packed.platforms);
    expect(filesIn(tarball)).toEqual(
      [...ALWAYS, 'THIRD-PARTY.md', `cairnq-native.${name}.node`].sort(),
    );
  });

  it('publint finds nothing', async () => {
    for (const folder of [
      'package',
      'dashboard',
      ...Object.keys(packed.platforms).map((name) => `npm/${name}`),
    ]) {
      const { messages, pkg } = await publint({
        pkgDir: path.join(out, folder),
        pack: 'npm',
        strict: true,
      });
      expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
    }
  }, 60_000);

  it.each(['main', 'dashboard'])(
    'the types are not wrong: %s',
    (name) => {
      const attw = binPath('@arethetypeswrong/cli', 'attw');
      const args = [attw, packed[name], '--no-definitely-typed', '--format', 'json'];
      const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      const { analysis, problems = {} } = JSON.parse(stdout);
      const wrong = Object.values(problems).flat();
      // Its rule that a CommonJS program cannot require an ES module does not hold for the versions in `engines`:
      // programs/require.cjs does so. The oldest resolution knows no `exports`, and no such Node is left.
      const apply = wrong.filter(
        ({ resolutionKind }) => !/^(node16-cjs|node10)$/.test(resolutionKind),
      );
      expect(apply).toEqual([]);
      const { exports } = json(out, name === 'main' ? 'package' : name, 'package.json');
      expect(Object.keys(analysis.entrypoints)).toEqual(Object.keys(exports));
    },
    60_000,
  );
});

describe('the checkout', () => {
  it('installs without the platform packages, which may not be published yet', () => {
    const names = Object.keys(json(root, 'package-lock.json').packages);
    expect(names.filter((name) => name.includes('@cairnq/native-'))).toEqual([]);
  });

  it('locks versions and checksums, not the places they were downloaded from', () => {
    for (const { resolved, link } of Object.values(json(root, 'package-lock.json').packages)) {
      if (!link) expect(resolved).toBe(undefined);
    }
  });
});

function packageSize(folder, files) {
  return files.reduce((sum, file) => sum + statSync(path.join(folder, file)).size, 0);
}

function filesIn(tarball) {
  const listed = execFileSync('tar', ['-tzf', path.basename(tarball)], {
    cwd: path.dirname(tarball),
    encoding: 'utf8',
  });
  return listed
    .trim()
    .split('\n')
    .map((name) => name.replace(/^package\//, ''))
    .sort();
}
