import { expect, it } from 'vitest';
import { isReadMark } from '../../lib/cli/doctor/readers.js';
import { bornAtMs } from '../../lib/cli/doctor/worker-id.js';
import { clean, count, cut, moment, size, span } from '../../lib/cli/format.js';
import { table } from '../../lib/cli/table.js';
import { painter } from '../../lib/cli/terminal.js';
import { topView } from '../../lib/cli/top-view.js';
import { familyTree } from '../../lib/cli/tree.js';
import { durationMs } from '../../lib/cli/values.js';
import { newId } from '../../lib/ids.js';
import { fileOf, kindOf, shownTarget } from '../../lib/inspect/target.js';

const plain = painter(false);

it.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1_000, '1 s'],
  [61_000, '1 m 1 s'],
  [3_600_000, '1 h'],
  [90_061_000, '1 d 1 h'],
  [-5_000, '-5 s'],
])('%d ms is %s', (ms, text) => {
  expect(span(ms)).toBe(text);
});

it('numbers, sizes and moments are written for people', () => {
  expect([count(1234567), count(10_000, true), count(12)]).toEqual(['1,234,567', '10,000+', '12']);
  expect([size(512), size(2_048), size(900 * 2 ** 20)]).toEqual(['512 B', '2.0 KB', '900 MB']);
  expect(moment(0, 5_000)).toBe('1970-01-01T00:00:00.000Z (5 s ago)');
  expect(moment(5_000, 0)).toContain('(in 5 s)');
  expect(moment(1e17, 0)).toContain('100000000000000000');
  expect(cut('abcdef', 4)).toBe('abc…');
});

it('control characters and directions are shown, not obeyed', () => {
  expect(clean('a\u001b[31mb\u0007\n\u202ec')).toBe('a\\u001b[31mb\\u0007\\n\\u202ec');
});

it.each([
  ['500ms', 500],
  ['1.5h', 5_400_000],
  ['7d', 604_800_000],
  ['250', 250],
])('%s is %d ms', (text, ms) => {
  expect(durationMs(text, '--x')).toBe(ms);
});

it('a table lines up what is coloured', () => {
  const paint = painter(true);
  const lines = table(
    [{ title: 'A' }, { title: 'N', right: true }],
    [
      [paint('red', 'long'), '1'],
      ['x', '100'],
    ],
  );
  expect(lines).toEqual(['A       N', '\u001b[31mlong\u001b[0m    1', 'x     100']);
});

it.each([
  ['tasks.db', 'sqlite', 'tasks.db'],
  ['odd=name.db', 'sqlite', 'odd=name.db'],
  ['file:tasks.db?mode=ro', 'sqlite', 'file:tasks.db?mode=ro'],
  ['postgres://u:p@h/d', 'postgres', 'postgres://u@h/d'],
  ['postgres://u:p@w@h/d', 'postgres', 'postgres://u@h/d'],
  ['POSTGRESQL://u:a/b?c@h', 'postgres', 'POSTGRESQL://u@h'],
  [
    'postgres://h/d?user=u&password=p%20q&x=1',
    'postgres',
    'postgres://h/d?user=u&password=***&x=1',
  ],
  ["host=h password='a b\\'c' user=u", 'postgres', 'host=h password=*** user=u'],
  ['host=h password = secret', 'postgres', 'host=h password = ***'],
])('%s is %s, shown as %s', (target, kind, shown) => {
  expect([kindOf(target), shownTarget(target)]).toEqual([kind, shown]);
});

it('a file: URI leads to its file', () => {
  expect(fileOf('file:a%20b.db?mode=ro')).toBe('a b.db');
  expect(fileOf('plain.db')).toBe('plain.db');
});

it('a family is drawn as a tree, with what has no parent at the top', () => {
  const member = (id, parent_id) => ({ id, name: 'n', status: 'queued', parent_id });
  const family = [
    member('a', null),
    member('b', 'a'),
    member('c', 'a'),
    member('d', 'b'),
    member('e', 'gone'),
    member('f', 'g'),
    member('g', 'f'),
    member('h', 'h'),
  ];
  expect(familyTree(family, 'd', plain)).toEqual([
    'a n queued',
    '├─ b n queued',
    '│  └─ d n queued ◀',
    '└─ c n queued',
    'e n queued',
    'h n queued',
    'f n queued',
    'g n queued',
  ]);
});

it('a worker id tells when its worker was made', () => {
  const before = Date.now();
  const born = bornAtMs(newId('worker_'));
  expect(born).toBeGreaterThanOrEqual(before);
  expect(born).toBeLessThanOrEqual(Date.now());
  expect(bornAtMs('python-worker')).toBe(null);
});

it('a read lock on a read mark is told from other locks', () => {
  expect(isReadMark('lock:\t1: POSIX  ADVISORY  READ 4711 fe:00:12345 124 124')).toBe(true);
  expect(isReadMark('lock:\t1: OFDLCK ADVISORY  READ -1 fe:00:12345 127 127')).toBe(true);
  expect(isReadMark('lock:\t1: POSIX  ADVISORY  WRITE 4711 fe:00:12345 120 120')).toBe(false);
  expect(isReadMark('lock:\t2: POSIX  ADVISORY  READ 4711 fe:00:12345 128 128')).toBe(false);
  expect(isReadMark('pos:\t0')).toBe(false);
});

const look = {
  target: 'tasks.db',
  overview: {
    nowMs: 60_000,
    schemaLevel: 6,
    capped: false,
    queues: [
      {
        queue: 'mail',
        counts: {
          waiting: 3,
          queued: 2,
          delayed: 1,
          running: 1,
          succeeded: 10_000,
          failed: 1,
          canceled: 0,
        },
        capped: ['succeeded'],
        oldestDueMs: 55_000,
      },
    ],
  },
  activity: { nowMs: 60_000, windowMs: 60_000, submitted: 90, finished: 30, capped: [] },
  failures: [{ name: 'mail.send', queue: 'mail', failed: 3, ended: 4 }],
  workers: {
    nowMs: 60_000,
    capped: false,
    workers: [
      { workerId: 'w1', running: 1, oldestLeaseUntilMs: 75_000, tasks: [{ name: 'mail.send' }] },
      { workerId: 'w2', running: 1, oldestLeaseUntilMs: 50_000, tasks: [{ name: 'x' }] },
    ],
  },
};

it('the live view fits its screen, whatever the colours', () => {
  const lines = topView(look, { columns: 80, rows: 24 }, plain);
  expect(lines.slice(0, 2)).toEqual([
    'cairnq top  tasks.db  00:01:00',
    'due 2  running 2  submitted 1.5/s  ended 0.5/s  (over 1 m)',
  ]);
  expect(lines.join('\n')).toMatch(/^mail +2 +1 +1 +10,000\+ +1 +0 +5 s$/m);
  expect(lines.join('\n')).toMatch(/^mail\.send +mail +3 +75 %$/m);
  expect(lines.join('\n')).toMatch(/^w1 +1 +15 s +mail\.send$/m);
  expect(lines.join('\n')).toMatch(/^w2 +1 +expired 10 s ago +x$/m);

  const small = topView(look, { columns: 20, rows: 6 }, painter(true));
  expect(small).toHaveLength(6);
  for (const line of small) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
    expect([...line.replace(/\u001b\[\d+m/g, '')].length).toBeLessThanOrEqual(20);
  }
});
