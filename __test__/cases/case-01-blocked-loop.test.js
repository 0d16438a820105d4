import { expect, it } from 'vitest';
import { until } from '../spec/events.js';
import { onEveryBackend, setStage } from '../spec/stage.js';

const LEASE_MS = 1000;

onEveryBackend('case 1: a handler spins for five lease times', (backend) => {
  it('case 1 the lease keeps moving, one run, attempt 1, one EventLoopBlocked afterwards', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const spinner = stage.peer('worker.js', {
      handlers: { spin: ['spin', 5 * LEASE_MS] },
      options: { leaseMs: LEASE_MS },
    });
    await spinner.event('running');
    const { id } = await client.submit('spin');
    await spinner.event('start');
    const rival = stage.peer('worker.js', {
      handlers: { spin: ['echo'] },
      options: { leaseMs: LEASE_MS, pollIntervalMs: 20 },
    });
    await rival.event('running');

    // Read from a third process: neither worker's own view of the lease counts.
    const leases = new Set();
    let soonest = Number.POSITIVE_INFINITY;
    const ended = await until(
      async () => {
        const row = await stage.row(id);
        if (row.status !== 'running') return row;
        leases.add(row.lease_until_ms);
        soonest = Math.min(soonest, row.lease_until_ms - Date.now());
        return undefined;
      },
      { everyMs: 40, timeoutMs: 20_000 },
    );
    expect(leases.size).toBeGreaterThanOrEqual(8);
    expect(soonest).toBeGreaterThan(0);
    expect(ended).toMatchObject({ status: 'succeeded', attempt: 1 });
    expect(rival.told('start')).toEqual([]);
    expect(spinner.told('start')).toHaveLength(1);

    const report = await spinner.event('error');
    expect(report).toMatchObject({ name: 'EventLoopBlocked', phase: 'execute', taskId: id });
    expect(report).toMatchObject({ leaseMs: LEASE_MS, intervalMs: 333 });
    expect(report.lateMs).toBeGreaterThan(3 * LEASE_MS);
    await client.submit('spin');
    await until(() => rival.told('end').length + spinner.told('start').length > 1);
    expect(spinner.told('error')).toHaveLength(1);
  });
});
