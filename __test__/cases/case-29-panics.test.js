import { expect, it } from 'vitest';
import { onEveryBackend, setStage } from '../spec/stage.js';

const TASKS = 5;
const LEASE_MS = 2400;

/** A program whose native side panics at a point, and what it told. */
async function panicking(backend, point, { ms }) {
  const stage = await setStage(backend);
  const config = { leaseMs: LEASE_MS, tasks: TASKS, ms, patienceMs: 15_000 };
  const env = { CAIRNQ_CRASH_POINT: point };
  const peer = stage.peer('panics.js', config, { env });
  expect(await peer.exitWithin(30_000)).toEqual({ code: 0, signal: null });
  expect(peer.stderr).toContain('as CAIRNQ_CRASH_POINT asks');
  return { peer, outcome: peer.told('outcome')[0] };
}

onEveryBackend('case 29: a panic of ours', (backend) => {
  it('case 29 in the claim loop rejects run(), and the tasks are run by the next worker', async () => {
    const { peer, outcome } = await panicking(backend, 'claim-loop:panic:6', { ms: 30 });
    expect(peer.told('rejected')).toHaveLength(1);
    expect(peer.told('rejected')[0].message).toContain('panicked');
    expect(outcome).toMatchObject({ succeeded: TASKS, failed: 0 });
  });

  it('case 29 in the heartbeat is reported, and the heart beats on', async () => {
    const ms = LEASE_MS * 2;
    const { peer, outcome } = await panicking(backend, 'heartbeat:panic:2', { ms });
    const errors = peer.told('error', ({ message }) => message.includes('panicked'));
    expect(errors).toMatchObject([{ phase: 'execute' }]);
    expect(outcome).toMatchObject({ succeeded: TASKS, failed: 0 });
    expect(peer.told('start').map(({ attempt }) => attempt)).toEqual(Array(TASKS).fill(1));
  });

  it('case 29 in a conversion rejects the one request that met it', async () => {
    const { peer, outcome } = await panicking(backend, 'conversion:panic:4', { ms: 1 });
    expect(peer.told('refused')).toHaveLength(1);
    expect(peer.told('refused')[0].message).toContain('panicked');
    expect(outcome.succeeded).toBeGreaterThanOrEqual(TASKS - 1);
  });
});
