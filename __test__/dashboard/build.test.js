import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const dist = new URL('dashboard/dist/', root);
const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.(html|js|css|svg)$/.test(file),
);
const manifest = (file) => JSON.parse(readFileSync(new URL(file, root), 'utf8'));

/** Before this, people on slow lines would wait. */
const FIRST_LOAD = 100 * 1024;

it('7.3 the first load is under 100 KB compressed, all of it together', () => {
  const sizes = files.map((file) => gzipSync(readFileSync(new URL(file, dist))).length);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  console.log(`the dashboard's first load: ${total} bytes compressed`);
  expect(files).toContain('index.html');
  expect(total).toBeLessThan(FIRST_LOAD);
});

it('7.3 what was built names no other host and nothing inline', () => {
  for (const file of files) {
    const text = readFileSync(new URL(file, dist), 'utf8');
    const hosts = [...text.matchAll(/https?:\/\/[\w.-]+/g)].map(([url]) => url);
    expect(
      hosts.filter((url) => url !== 'http://www.w3.org'),
      file,
    ).toEqual([]);
    expect(text, file).not.toMatch(/@import|url\(["']?(https?:)?\/\//);
  }
  const page = readFileSync(new URL('index.html', dist), 'utf8');
  expect(page).not.toMatch(/<style|style=|<script(?![^>]*src=)|\son\w+=/);
});

it('7.3 what is bundled comes with its licence', () => {
  const licences = readFileSync(new URL('THIRD-PARTY.md', dist), 'utf8');
  const { devDependencies } = manifest('dashboard/package.json');
  for (const name of ['preact', 'uplot']) {
    expect(devDependencies).toHaveProperty(name);
    expect(licences).toMatch(new RegExp(`^## ${name} - .* \\(MIT\\)$`, 'im'));
  }
});

it('7.3 a worker installs nothing for it, and the dashboard nothing beside the worker', () => {
  expect(manifest('package.json').dependencies ?? {}).toEqual({});
  const dashboard = manifest('dashboard/package.json');
  expect(dashboard.dependencies ?? {}).toEqual({});
  expect(Object.keys(dashboard.peerDependencies)).toEqual(['@cairnq/native']);
  expect(dashboard.files).toEqual(expect.arrayContaining(['bin.js', 'index.js', 'server', 'dist']));
});
