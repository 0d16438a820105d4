import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { Peer } from '../process/peer.js';
import { onEveryBackend, setStage } from '../spec/stage.js';
import { sized } from './long.js';

const PARTS = sized({ short: 4, long: 10 });
const TASKS = sized({ short: 3000, long: 100_000 });
const CYCLES = sized({ short: 20, long: 100 });
/** Allocators keep what was freed, so a part may end a little higher than another; a leak grows with every part. */
const RESIDENT_SLACK_KB = sized({ short: 24_000, long: 60_000 });
const HEAP_SLACK_KB = 4000;
const POOL = 10;
/** Threads of the runtimes that come when several things block at once, and rest for some seconds before they go. */
const RESTING = 4;
const LIVES = sized({ short: 20, long: 1000 });
const program = fileURLToPath(new URL('../process/cycles.js', import.meta.url));
const lives = fileURLToPath(new URL('../process/lives.js', import.meta.url));

onEveryBackend('case 28: a long life', (backend) => {
  it.runIf(process.platform === 'linux')(
    'case 28 memory, threads and handles stay flat, also when onError throws',
    async () => {
      const stage = await setStage(backend);
      const config = { target: stage.world.target, parts: PARTS, tasks: TASKS, cycles: CYCLES };
      const args = ['--expose-gc', program, JSON.stringify(config)];
      const peer = stage.keep(new Peer(process.execPath, args));
      const patience = PARTS * (TASKS + CYCLES * 50) * 2 + 60_000;
      expect(await peer.exitWithin(patience)).toEqual({ code: 0, signal: null });
      const parts = peer.told('holdings');
      expect(parts).toHaveLength(PARTS);
      const last = parts.at(-1);
      expect(last.ran).toBeGreaterThanOrEqual(PARTS * TASKS);
      expect(last.reported).toBeGreaterThan(0);
      console.log(`${last.ran} tasks: ${held(parts[1])}; then ${held(last)}`);
      // A pool opens its connections when it first needs that many, and lets go of them when it rests.
      const { threads, files, ...warm } = parts[1];
      expectFlat({ ...warm, threads: threads + RESTING, files: files + POOL }, last);
    },
    PARTS * (TASKS + CYCLES * 50) * 2 + 90_000,
  );

  it.runIf(process.platform === 'linux')(
    'case 28 nothing is left of stores that were opened and closed',
    async () => {
      const stage = await setStage(backend);
      const config = { target: stage.world.target, cycles: LIVES, every: LIVES / 4 };
      const args = ['--expose-gc', lives, JSON.stringify(config)];
      const peer = stage.keep(new Peer(process.execPath, args));
      expect(await peer.exitWithin(LIVES * 1000 + 60_000)).toEqual({ code: 0, signal: null });
      const parts = peer.told('holdings');
      expect(parts).toHaveLength(4);
      // The driver ends sockets behind the scenes: a few at any moment, where a leak would leave one of each life.
      const [, { threads, files, ...warm }] = parts;
      console.log(`${LIVES} lives: ${held(parts[1])}; then ${held(parts[3])}`);
      expectFlat({ ...warm, threads: threads + RESTING, files: files + 4 }, parts[3]);
    },
    LIVES * 1000 + 90_000,
  );
});

function expectFlat(warm, last) {
  expect(last.threads).toBeLessThanOrEqual(warm.threads);
  expect(last.files).toBeLessThanOrEqual(warm.files);
  expect(last.resources).toBeLessThanOrEqual(warm.resources);
  expect(last.residentKb - warm.residentKb).toBeLessThan(RESIDENT_SLACK_KB);
  expect(last.heapKb - warm.heapKb).toBeLessThan(HEAP_SLACK_KB);
}

function held({ residentKb, heapKb, threads, files, resources }) {
  return `${residentKb} KB resident, ${heapKb} KB heap, ${threads} threads, ${files} files, ${resources} resources`;
}
