// Makes the examples runnable in a checkout: what they depend on, and this package under its own name.

import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { installDependencies, root } from './bootstrap.js';

export function installExamples() {
  const folder = path.join(root, 'examples');
  installDependencies(folder);
  const link = path.join(folder, 'node_modules/@cairnq/native');
  if (existsSync(link)) return;
  mkdirSync(path.dirname(link), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync('../../..', link, 'junction');
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) installExamples();
