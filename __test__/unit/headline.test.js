import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { headline } from '../../bench/harness/headline.js';

describe('the headline figures of the README', () => {
  const machine = { takenAt: '2026-05-01T10:00:00Z', cores: 2, cpu: 'a processor' };
  const row = (name, backend, value, unit, against, ratio) => ({
    ...{ name, backend, value, unit, against, againstValue: 1, ratio, target: null, met: null },
  });

  it('are ours, the share of the ceiling, and every peer, also one that is faster', () => {
    const rows = [
      row('drain, concurrency 64', 'postgres', 5000, 'tasks/s', 'pg-boss, batches of 1,000', 2.5),
      row(
        'drain, concurrency 64',
        'sqlite',
        30_123.4,
        'tasks/s',
        'Rust loop, batches of 256',
        0.876,
      ),
      row('drain, concurrency 64', 'sqlite', 30_123.4, 'tasks/s', 'plainjob', 3.1),
      row('drain, concurrency 64', 'sqlite', 30_123.4, 'tasks/s', 'another', 0.5),
      row('call() in one process, p50', 'sqlite', 0.9, 'ms', null, null),
      row('claim at a backlog of 100', 'sqlite', 1, 'ms', null, null),
    ];
    expect(headline({ machine, rows }).split('\n')).toEqual([
      'Taken on 2026-05-01, 2 cores of a processor:',
      '',
      '| figure | database | ours | of the ceiling | ratio to peers |',
      '|---|---|---:|---:|---|',
      '| drain, concurrency 64 | SQLite | 30,123 tasks/s | 88 % | 3.1 plainjob; 0.5 another |',
      '| drain, concurrency 64 | Postgres | 5,000 tasks/s |  | 2.5 pg-boss, batches of 1,000 |',
      '| call() in one process, p50 | SQLite | 0.9 ms |  |  |',
    ]);
  });

  it('have their place in the README and on the results page', () => {
    const publish = read('../../bench/harness/publish.js');
    for (const page of ['../../README.md', '../../bench/README.md']) {
      const marks = read(page).match(
        /^<!-- (?:headline figures|results|end of .*)(?:: .*)? -->$/gm,
      );
      expect(marks).toHaveLength(2);
      for (const mark of marks) expect(publish).toContain(mark);
    }
  });
});

function read(file) {
  return readFileSync(new URL(file, import.meta.url), 'utf8');
}
