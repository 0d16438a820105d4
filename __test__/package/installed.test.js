/** Case 30: the tarballs in an empty project. The binary is the debug build: what it does is the same. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packAll } from '../../scripts/packages.js';
import { bundles } from './bundles.js';
import { compilations } from './compilations.js';
import { PROGRAMS, Project, quickStart } from './project.js';

describe('case 30: the packed tarballs in an empty project', () => {
  let out;
  let main;
  let project;

  beforeAll(async () => {
    out = mkdtempSync(path.join(tmpdir(), 'cairnq-pack-'));
    const packed = packAll({ out });
    main = packed.main;
    const [platform] = Object.values(packed.platforms);
    expect(platform, 'the addon is built').toBeDefined();
    project = await Project.create([main, platform, packed.dashboard]);
  }, 300_000);

  afterAll(() => {
    project?.remove();
    rmSync(out, { recursive: true, force: true });
  });

  it.each(PROGRAMS)('%s', async (program) => {
    project.bring(program);
    expect(await project.run(program)).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it("the README's quick start, word for word", async () => {
    const { program, prints } = quickStart(project.installed('README.md'));
    expect(prints.length, 'it says what it prints').toBeGreaterThan(0);
    project.write('quick-start.mjs', program);
    const { code, stdout, stderr } = await project.run('quick-start.mjs');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const text of prints) expect(stdout).toContain(text);
  });

  it('without the package of this platform: one message', async () => {
    const bare = await Project.create([main]);
    try {
      bare.bring('import.mjs');
      const { code, stderr } = await bare.run('import.mjs');
      expect(code).toBe(1);
      expect(stderr.match(/@cairnq\/native has no binary for /g)).toHaveLength(1);
    } finally {
      bare.remove();
    }
  }, 60_000);

  describe('bundled', () => bundles(() => project));
  describe('typed', () => compilations(() => project));
});
