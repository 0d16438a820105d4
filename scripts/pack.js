// Makes the tarballs that are published, in dist/:  node scripts/pack.js [--binaries FOLDER] [--all]
// FOLDER holds the .node files, by default the checkout itself. With --all every platform must have one.

import { rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { installDependencies, root } from './bootstrap.js';
import { buildDashboard } from './dashboard.js';
import { packAll } from './packages.js';

const { values } = parseArgs({
  options: { binaries: { type: 'string' }, all: { type: 'boolean', default: false } },
});

installDependencies();
buildDashboard();
const out = path.join(root, 'dist');
rmSync(out, { recursive: true, force: true });
const { main, dashboard, platforms, missing } = packAll({ out, binaries: values.binaries });
for (const tarball of [main, dashboard, ...Object.values(platforms)]) {
  console.log(`${(statSync(tarball).size / 1e6).toFixed(2)} MB  ${path.relative(root, tarball)}`);
}
if (missing.length > 0) console.log(`no binary for ${missing.join(', ')}`);
if (missing.length > 0 && values.all) process.exitCode = 1;
