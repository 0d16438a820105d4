/** Databases for doctor, and what it finds on them. */
import { expect } from 'vitest';
import { setStage } from '../spec/stage.js';
import { cairnq, targetOf } from './run.js';

/** Looks that follow close on each other. */
export const QUICK = ['--wait', '100ms'];
/** A sound database with one task of each end, and a client that is closed: nothing writes while doctor looks. */
export async function sound(backend, { migrate, ...options } = {}) {
  const stage = await setStage(backend, options);
  const store = stage.store({ migrate });
  await store.submit({ name: 'delayed', runAtDelayMs: 3_600_000 });
  return { stage, store, target: targetOf(stage) };
}

/** What doctor finds, by id, with its exit code checked against it. */
export async function findings(target, args = []) {
  const { code, out, err } = await cairnq(['doctor', target, '--json', ...QUICK, ...args]);
  const told = out === '' ? {} : JSON.parse(out);
  if (told.findings === undefined) throw new Error(`doctor ended with ${code}: ${err}${out}`);
  const wrong = told.findings.filter(({ severity }) => severity !== 'note');
  expect(code).toBe(wrong.length === 0 ? 0 : 1);
  expect(told.healthy).toBe(wrong.length === 0);
  for (const finding of told.findings) {
    for (const part of ['id', 'title', 'explanation', 'remedy'])
      expect(finding[part]).toMatch(/\S/);
  }
  return {
    ...told,
    ids: wrong.map(({ id }) => id),
    of: (id) => told.findings.find((one) => one.id === id),
  };
}
