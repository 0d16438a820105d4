// The API reference, docs/api, from the types of every entry of the package. With --check it is made aside and compared.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { installDependencies, root, runBin } from './bootstrap.js';

const committed = path.join(root, 'docs/api');

installDependencies();
if (process.argv.includes('--check')) {
  const aside = mkdtempSync(path.join(tmpdir(), 'cairnq-api-'));
  try {
    generate(aside);
    const stale = differences(pagesOf(committed), pagesOf(aside));
    if (stale.length > 0) {
      console.error(`docs/api is not what the types say; run npm run docs\n${stale.join('\n')}`);
      process.exitCode = 1;
    }
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
} else {
  generate(committed);
}

/** The main entry first: each run empties the folder it writes to. */
function generate(out) {
  const { name, exports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  for (const [entry, { types }] of Object.entries(exports)) {
    if (types === undefined) continue;
    const place = ['--entryPoints', types, '--out', path.join(out, entry)];
    const title = ['--name', path.posix.join(name, entry)];
    const code = runBin('typedoc', 'typedoc', [...place, ...title, '--logLevel', 'Warn']);
    if (code !== 0) process.exit(code);
  }
}

/** Text by path. */
function pagesOf(folder) {
  const files = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((file) => statSync(path.join(folder, file)).isFile());
  return new Map(files.map((file) => [file, readFileSync(path.join(folder, file), 'utf8')]));
}

function differences(one, other) {
  const files = new Set([...one.keys(), ...other.keys()]);
  return [...files].filter((file) => one.get(file) !== other.get(file)).sort();
}
