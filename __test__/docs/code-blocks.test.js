import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askedBackends } from '../support/asked-backends.js';
import { giveBack, takeDatabase } from '../support/postgres-databases.js';
import { announcedOutput } from './blocks.js';
import { apiExamples, pages, programs } from './pages.js';
import { Project } from './project.js';
import { typecheck } from './typecheck.js';

const all = [...pages().flatMap(programs), ...apiExamples()];
const typed = all.filter(({ kind, lang }) => kind !== 'not run' && lang !== 'sh');
const run = all.filter(({ kind }) => kind === 'program' || kind === 'example');
const onPostgres = ({ source }) => source.includes('DATABASE_URL');

const project = new Project();
for (const block of all) block.file = project.write(block);
afterAll(() => project.remove());

describe('the code blocks of README, docs and index.d.ts agree with index.d.ts', () => {
  let complaints;
  beforeAll(() => {
    complaints = typecheck(
      project.home,
      typed.map(({ file }) => file),
    );
  });

  it.each(typed)('$title', ({ file }) => {
    expect(complaints(file)).toEqual([]);
  });
});

describe('the code blocks of README, docs and index.d.ts run', () => {
  describe.concurrent('[sqlite]', () => {
    for (const block of run.filter((each) => !onPostgres(each))) {
      it(block.title, () => runs(block));
    }
  });

  // Skipped only when the run was told to leave Postgres out.
  describe.skipIf(!askedBackends.includes('postgres')).concurrent('[postgres]', () => {
    for (const block of run.filter(onPostgres)) {
      it(block.title, async () => {
        const database = await takeDatabase(process.env.CAIRNQ_TEST_PG_DSN);
        try {
          await runs(block, { DATABASE_URL: database.dsn });
        } finally {
          await giveBack(database);
        }
      });
    }
  });

  it('and an example checks what came of it', () => {
    const unchecked = run.filter(
      ({ kind, asserts, code }) =>
        kind === 'example' && !asserts && announcedOutput(code).length === 0,
    );
    expect(unchecked.map(({ title }) => title)).toEqual([]);
  });
});

async function runs({ file, code }, env) {
  const ended = await project.run(file, { env });
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  const announced = announcedOutput(code);
  if (announced.length > 0) expect(ended.stdout.trimEnd().split('\n')).toEqual(announced);
}
