// Looks a built addon over before it is shipped:  node scripts/check-binary.js FILE... [--glibc 2.17]
// It fails for a path of this machine among its strings, and for symbols of a newer glibc than the one named.

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { machinePaths, neededGlibc, placesHere } from './binary.js';

const SHOWN = 20;

const { values, positionals } = parseArgs({
  options: { glibc: { type: 'string' } },
  allowPositionals: true,
});
if (positionals.length === 0) throw new Error('name the .node files to check');

for (const file of positionals) {
  const binary = readFileSync(file);
  const glibc = neededGlibc(binary);
  const size = `${(binary.length / 1e6).toFixed(1)} MB`;
  console.log(`${file}: ${size}, ${glibc ? `needs glibc ${glibc}` : 'needs no glibc'}`);

  const paths = machinePaths(binary, placesHere());
  for (const text of paths.slice(0, SHOWN)) console.log(`  names a path of this machine: ${text}`);
  if (paths.length > SHOWN) console.log(`  and ${paths.length - SHOWN} more`);
  if (paths.length > 0) process.exitCode = 1;

  if (values.glibc && glibc && newer(glibc, values.glibc)) {
    console.log(`  needs glibc ${glibc}, newer than ${values.glibc}`);
    process.exitCode = 1;
  }
}

function newer(a, b) {
  return Number(a.split('.')[1]) > Number(b.split('.')[1]);
}
