import { execFile } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { binPath, root } from '../../scripts/bootstrap.js';
import { Project } from './project.js';

/** The commands that docs/installing.md gives for `app.mjs`. */
const commands = readFileSync(path.join(root, 'docs/installing.md'), 'utf8').match(
  /^npx esbuild .*$/gm,
);
const FORMS = commands.map((command) => ({
  command,
  file: /--outfile=(\S+)/.exec(command)[1],
}));

/** @param {() => Project} installed */
export function bundles(installed) {
  it('the documentation has a command for CommonJS and one for ESM', () => {
    expect(FORMS.map(({ file }) => path.extname(file))).toEqual(['.cjs', '.mjs']);
  });

  it.each(FORMS)('into $file, all but the addon', async ({ command, file }) => {
    const from = installed();
    from.bring('bundled.mjs', 'app.mjs');
    const esbuild = `"${process.execPath}" "${binPath('esbuild', 'esbuild')}" --log-level=warning`;
    const run = command.replace('npx esbuild', esbuild);
    const { stderr } = await promisify(execFile)('sh', ['-c', run], { cwd: from.folder });
    expect(stderr).toBe('');

    // Somewhere else, where of ours only the addon is installed.
    const elsewhere = new Project();
    try {
      cpSync(from.path(file), elsewhere.path(file));
      for (const name of from.platformPackages()) {
        const place = path.join('node_modules', name);
        cpSync(from.path(place), elsewhere.path(place), { recursive: true });
      }
      expect(await elsewhere.run(file)).toEqual({ code: 0, stdout: '', stderr: '' });
    } finally {
      elsewhere.remove();
    }
  });
}
