// The dashboard's front end, as it is published, in dashboard/dist/.

import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { root, runBin } from './bootstrap.js';

const dashboard = path.join(root, 'dashboard');

/** Builds it. */
export function buildDashboard() {
  const args = ['build', '--config', 'dashboard/vite.config.js', '--logLevel', 'warn'];
  const code = runBin('vite', 'vite', args, { env: { NODE_ENV: 'production' } });
  if (code !== 0) throw new Error('the front end of the dashboard does not build');
}

/** Builds it when its sources are newer than what was built last. */
export function buildStaleDashboard() {
  const sources = readdirSync(path.join(dashboard, 'web'), { recursive: true, encoding: 'utf8' });
  const files = ['vite.config.js', 'package.json', ...sources.map((file) => `web/${file}`)];
  const built = modified('dist/index.html');
  if (files.some((file) => modified(file) >= built)) buildDashboard();
}

/** @param {string} file */
function modified(file) {
  return statSync(path.join(dashboard, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
