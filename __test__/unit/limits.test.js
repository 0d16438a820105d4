import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (file) => readFileSync(new URL(file, root), 'utf8');
const rows = [...read('docs/limits.md').matchAll(/^\|(.+)\|(.+)\|(.+)\|(.+)\|$/gm)]
  .map(([, what, bound, constants, file]) => ({ what, bound, constants, file: file.trim() }))
  .filter(({ file }) => file !== 'file' && !file.startsWith('-'));

it('6 the table of limits is not empty', () => {
  expect(rows.length).toBeGreaterThan(20);
});

it.each(rows.map((row) => [row.what.trim(), row]))(
  '6 %s: the constants are where the table says',
  (_what, row) => {
    const names = [...row.constants.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(0);
    const source = read(row.file);
    for (const name of names) expect(source).toMatch(new RegExp(`const ${name}\\b`));
  },
);

it('6 channels without a depth are the four that hold what callers wait for', () => {
  const files = readdirSync(new URL('src/', root), { recursive: true })
    .filter((file) => file.endsWith('.rs') && read(`src/${file}`).includes('unbounded_channel'))
    .map((file) => file.replaceAll('\\', '/'));
  expect(files.sort()).toEqual([
    'store/parts.rs',
    'store/postgres/batcher.rs',
    'store/postgres/claim_session.rs',
    'store/postgres/renewals.rs',
  ]);
});
