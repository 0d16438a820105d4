// Writes THIRD-PARTY.md: what the addon is built from, and under which licences. `node scripts/audit.js` tells when
// the file is not what this would write.

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './bootstrap.js';
import { crates } from './crates.js';

const file = path.join(root, 'THIRD-PARTY.md');

/** @param {import('./crates.js').Crate[]} found */
function text(found) {
  const rows = found.map(({ name, version, license, repository }) => {
    const title = repository ? `[${name}](${repository})` : name;
    return `| ${title} | ${version} | ${(license ?? 'unknown').replaceAll('/', ' OR ').replace(/\s+/g, ' ')} |`;
  });
  return `# What the addon is built from

The crates of every platform, without those that only tests need. Generated from Cargo.lock by
\`node scripts/third-party.js\`. SQLite, which libsqlite3-sys brings, is in the public domain. The JavaScript part has no
dependencies.

| crate | version | licence |
|---|---|---|
${rows.join('\n')}
`;
}

/** @param {import('./crates.js').Crate[]} found */
export function isCurrent(found) {
  return readFileSync(file, 'utf8').replaceAll('\r\n', '\n') === text(found);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) writeFileSync(file, text(crates()));
