import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { onEveryBackend, setStage } from '../spec/stage.js';
import { POINTS, spawn } from './fleet.js';

onEveryBackend('crash points', (backend) => {
  it.each(POINTS)('case 10 %s is a place that processes come by', async (point) => {
    const stage = await setStage(backend);
    const ledgers = await mkdtemp(path.join(tmpdir(), 'cairnq-crash-'));
    onTestFinished(() => rm(ledgers, { recursive: true, force: true }));
    const config = { target: stage.world.target, ledgers, leaseMs: 1000, concurrency: 2 };
    const client = stage.client();
    await client.submit('slow', { n: 1, ms: 1 }, { key: 'n1' });
    const program = point.endsWith('commit') ? 'producer-process.js' : 'worker-process.js';
    const env = { CAIRNQ_CRASH_POINT: `${point}:abort:1` };
    const peer = stage.keep(spawn(program, { ...config, from: 0, lanes: 2 }, env));
    expect(await peer.exitWithin(20_000)).toEqual({ code: null, signal: 'SIGABRT' });
  });
});
