import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { judge } from '../demo/outcome.js';
import { countWords, shardOf, shards } from '../demo/words.js';

const program = fileURLToPath(new URL('../demo/main.js', import.meta.url));

describe('the demo [sqlite]', () => {
  let home;
  let folder;

  beforeEach(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'cairnq-demo-'));
    folder = path.join(home, 'texts');
    await mkdir(path.join(folder, 'deep/er'), { recursive: true });
    await mkdir(path.join(folder, 'node_modules'));
    await writeFile(path.join(folder, 'node_modules/no.txt'), 'heather');
    await writeFile(path.join(folder, 'picture.bin'), Buffer.from([1, 0, 2]));
    for (let n = 0; n < 70; n += 1) {
      await writeFile(
        path.join(folder, `deep/er/${n}.txt`),
        `constructor file${n}\nHeather ${'x '.repeat(n)}`,
      );
    }
    await writeFile(path.join(folder, 'most.txt'), 'heather and heather\n__proto__\n');
  });

  afterEach(() => rm(home, { recursive: true, force: true }));

  function demo(...args) {
    return new Promise((resolve) => {
      const env = { ...process.env, CAIRNQ_DEMO_HOME: path.join(home, 'out') };
      execFile(process.execPath, [program, ...args], { env }, (error, stdout, stderr) => {
        resolve({ code: error?.code ?? 0, stdout, stderr });
      });
    });
  }

  it('indexes a folder with two processes and answers queries afterwards', async () => {
    const run = await demo(folder);
    expect(run.stderr).toBe('');
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/file\.index +succeeded +71 +71 /);
    expect(run.stdout).toMatch(/file\.digest +succeeded +71 +71 /);
    expect(run.stdout).toMatch(/feed\.refresh +succeeded +1 +2 /);
    expect(run.stdout).toMatch(/file\.import +failed +1 +1 /);
    expect(run.stdout).toMatch(/folder\.watch +canceled +1 +1 /);
    expect(run.stdout).toMatch(/shard\.write +succeeded +5 +5 /);
    expect(run.stdout).toContain('batches of at most 32 files');
    expect(run.stdout).toContain('every task ended as it should');

    const query = await demo('--query', 'HEATHER');
    expect(query.code).toBe(0);
    expect(query.stdout).toContain('"heather": 72 times in 71 of 71 files');
    expect(query.stdout).toMatch(/ 2 {2}most\.txt:1 {2}heather and heather/);
    expect((await demo('--query', '__proto__')).stdout).toContain('1 times in 1 of 71');
    expect(await demo('--query', 'nowhere')).toMatchObject({ code: 1 });
  });

  it('says what is wrong with its arguments', async () => {
    expect((await demo('--query', 'word')).stderr).toContain('there is no index yet');
    expect((await demo(path.join(home, 'gone'))).stderr).toContain('ENOENT');
    expect((await demo('a', 'b')).stderr).toContain('one folder at a time');
    expect(await demo('--nonsense')).toMatchObject({ code: 1 });
  });
});

describe('the demo judges its own run', () => {
  const ended = {
    files: 1,
    producerCode: 0,
    worker: { code: 0, seen: { diskPeak: 2, largestBatch: 32 } },
  };
  const row = (name, status, attempt, more) => ({ id: name, name, status, attempt, ...more });
  const good = () => [
    row('file.index', 'succeeded', 1),
    row('file.digest', 'succeeded', 1),
    row('index.build', 'succeeded', 1),
    ...shards.map(() => row('shard.write', 'succeeded', 1, { parent_id: 'index.build' })),
    row('feed.refresh', 'succeeded', 2),
    row('file.import', 'failed', 1, { error: { code: 'file_missing' } }),
    row('folder.watch', 'canceled', 1),
  ];

  it('is content when everything ended as intended', () => {
    expect(judge(good(), ended)).toEqual([]);
  });

  it.each([
    ['a task is missing', (tasks) => tasks.slice(1), {}],
    ['a task is still queued', ([first, ...rest]) => [{ ...first, status: 'queued' }, ...rest], {}],
    ['a task ran twice', ([first, ...rest]) => [{ ...first, attempt: 2 }, ...rest], {}],
    ['the retry was not needed', (tasks) => tasks.map((t) => ({ ...t, attempt: 1 })), {}],
    ['a child lost its parent', (tasks) => tasks.map((t) => ({ ...t, parent_id: null })), {}],
    ['the producer died', (tasks) => tasks, { producerCode: 'SIGKILL' }],
    ['the worker died', (tasks) => tasks, { worker: { code: 1 } }],
    ['the resource was exceeded', (tasks) => tasks, { worker: { code: 0, seen: { diskPeak: 3 } } }],
  ])('complains when %s', (_title, change, endedOtherwise) => {
    expect(judge(change(good()), { ...ended, ...endedOtherwise })).not.toEqual([]);
  });
});

describe('the words of the index', () => {
  it('are counted in lower case, names of object members included', () => {
    expect([...countWords('Lease lease constructor x __proto__ straße 42')]).toEqual([
      ['lease', 2],
      ['constructor', 1],
      ['__proto__', 1],
      ['straße', 1],
    ]);
  });

  it.each([
    ['apple', 'a-f'],
    ['fz', 'a-f'],
    ['ga', 'g-l'],
    ['mz', 'm-r'],
    ['zz', 's-z'],
    ['_x', 'other'],
    ['über', 'other'],
  ])('%s belongs to %s', (word, shard) => {
    expect(shardOf(word)).toBe(shard);
  });
});
