import { buildAddon } from './addon.js';
import { installDependencies, mustRun } from './bootstrap.js';

const args = process.argv.slice(2);

// Looking a word up reads plain files; only a run needs the queue.
if (!args.includes('--query')) {
  installDependencies();
  const code = buildAddon({ release: true });
  if (code !== 0) process.exit(code);
}
mustRun(process.execPath, ['demo/main.js', ...args]);
