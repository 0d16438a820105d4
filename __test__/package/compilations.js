import { cpSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const require = createRequire(import.meta.url);
const compiler = require.resolve('typescript/bin/tsc');
const nodeTypes = path.dirname(path.dirname(require.resolve('@types/node/package.json')));
const corpus = fileURLToPath(new URL('../types', import.meta.url));

/** A compiler reads some megabytes of declarations. */
const TIMEOUT_MS = 120_000;

const STRICT = { strict: true, noEmit: true, skipLibCheck: false, target: 'es2022' };

/** @param {() => import('./project.js').Project} installed */
export function compilations(installed) {
  const resolutions = [
    { module: 'node16', moduleResolution: 'node16' },
    { module: 'esnext', moduleResolution: 'bundler' },
  ];

  it.each(resolutions)(
    'the corpus under $moduleResolution',
    async (resolution) => {
      const options = { ...STRICT, ...resolution, types: ['node'], typeRoots: [nodeTypes] };
      cpSync(corpus, installed().path('corpus'), { recursive: true });
      installed().write('corpus/package.json', JSON.stringify({ type: 'module' }));
      const files = readdirSync(corpus, { recursive: true }).filter((name) => /\.c?ts$/.test(name));
      expect(files.length).toBeGreaterThan(3);
      await compiles(
        installed(),
        options,
        files.map((name) => `corpus/${name}`),
      );
    },
    TIMEOUT_MS,
  );

  it.each(resolutions)(
    'without @types/node under $moduleResolution',
    async (resolution) => {
      installed().write('bare.mts', "export { CairnQ, Worker } from '@cairnq/native';\n");
      await compiles(installed(), { ...STRICT, ...resolution, types: [] }, ['bare.mts']);
    },
    TIMEOUT_MS,
  );

  it(
    'a CommonJS program that requires it',
    async () => {
      const lines = [
        "import native = require('@cairnq/native');",
        "const task: Promise<native.Task<{ n: number }, string>> = native.CairnQ.sqlite('x').submit(",
        "  native.defineTask<{ n: number }, string>('x'), { n: 5 });",
        'void task;',
      ];
      installed().write('required.cts', lines.join('\n'));
      const options = { ...STRICT, module: 'nodenext', types: ['node'], typeRoots: [nodeTypes] };
      await compiles(installed(), options, ['required.cts']);
    },
    TIMEOUT_MS,
  );

  it(
    'a mistake is found',
    async () => {
      const mistake = "import { defineTask } from '@cairnq/native';\ndefineTask(5);\n";
      installed().write('mistake.mts', mistake);
      const options = { ...STRICT, ...resolutions[0], types: [] };
      const { code, stdout } = await compile(installed(), options, ['mistake.mts']);
      expect(code).not.toBe(0);
      expect(stdout).toMatch(/^mistake\.mts\(2,12\): error TS2345/);
    },
    TIMEOUT_MS,
  );
}

async function compiles(project, compilerOptions, files) {
  expect(await compile(project, compilerOptions, files)).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  });
}

function compile(project, compilerOptions, files) {
  project.write('tsconfig.json', JSON.stringify({ compilerOptions, files }));
  return project.run(compiler);
}
