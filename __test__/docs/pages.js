import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { codeBlocks } from './blocks.js';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Every page a user reads, as a path from the repository's root. docs/api is made from index.d.ts. */
export function pages() {
  return ['README.md', ...below('docs'), ...below('examples')].sort();
}

function below(folder) {
  if (folder === 'docs/api' || folder.endsWith('/node_modules')) return [];
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const inside = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return below(inside);
    return inside.endsWith('.md') ? [inside] : [];
  });
}

export const readPage = (page) => readFileSync(path.join(root, page), 'utf8');

/** The `@example` blocks of the types, which docs/api shows; each runs in fixtures/FILE.d.ts/NAME.ts. */
export function apiExamples() {
  const { exports } = JSON.parse(readPage('package.json'));
  return Object.values(exports).flatMap(({ types }) =>
    types ? examplesOf(path.basename(types)) : [],
  );
}

function examplesOf(file) {
  const comments = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*export declare (?:class|function) (\w+)/g;
  return [...readPage(file).matchAll(comments)].flatMap(([, comment, name]) => {
    const text = comment.replace(/^ *\* ?/gm, '');
    const [, example] = /^@example\n([\s\S]*?)(?=^@|(?![\s\S]))/m.exec(text) ?? [];
    if (example === undefined) return [];
    const title = `${file}, ${name}`;
    const block = { lang: 'ts', kind: 'example', note: name, code: example.trim() };
    return [{ ...block, title, slug: `api-${name}`, ...inFixture(file, block, title) }];
  });
}

/** The blocks of a page with their programs: the block inside its fixture, as it is checked and run. */
export function programs(page) {
  return codeBlocks(readPage(page)).map((block) => {
    const title = `${page}:${block.line}`;
    const slug = `${slugOf(page)}-${block.line}`;
    return { ...block, page, title, slug, ...inFixture(page, block, title) };
  });
}

const slugOf = (page) =>
  page
    .replace(/^docs\/|\.md$/g, '')
    .replaceAll('/', '-')
    .toLowerCase();

function inFixture(page, { kind, note, lang, code }, title) {
  if (kind !== 'example') return { source: code, asserts: false };
  const file = path.join(root, '__test__/docs/fixtures', slugOf(page), `${note}.${lang}`);
  const here = lang === 'sh' ? '# here' : '// here';
  const fixture = readFileSync(file, 'utf8');
  const parts = fixture.split(new RegExp(`^${here}$`, 'm'));
  if (parts.length !== 2) throw new Error(`${title}: its fixture needs one line "${here}"`);
  return { source: parts.join(code.trimEnd()), asserts: /\bassert\b|\btest /.test(fixture) };
}
