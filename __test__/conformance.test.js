import { readdirSync, readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { onEveryBackend } from './backends.js';
import { runScenario } from './conformance/scenario.js';

const folder = new URL('../protocol/conformance/', import.meta.url);
const scenarios = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .flatMap((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')));

it('2.5 every scenario has a name of its own', () => {
  const names = scenarios.map(({ rule, name }) => `${rule} ${name}`);
  expect(names.length).toBeGreaterThanOrEqual(45);
  expect(new Set(names).size).toBe(names.length);
});

onEveryBackend('conformance', (backend) => {
  it.each(scenarios.map((scenario) => [`${scenario.rule} ${scenario.name}`, scenario]))(
    '%s',
    async (_title, { steps, level = 6 }) => {
      const world = await backend.open();
      onTestFinished(() => world.close());
      // A rejection names the step and both values, so there is nothing left to assert here.
      await expect(
        runScenario(world.newStore(level > 6 ? { migrate: 'latest' } : {}), steps),
      ).resolves.toBeUndefined();
    },
  );
});
