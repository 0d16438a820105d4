import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installExamples } from '../../scripts/examples.js';
import { root } from '../docs/pages.js';
import { typecheck } from '../docs/typecheck.js';

const programs = (folder) =>
  readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules') return [];
    const inside = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return programs(inside);
    return inside.endsWith('.js') ? [inside] : [];
  });

describe('the examples agree with index.d.ts', () => {
  const files = programs('examples');
  const home = mkdtempSync(path.join(tmpdir(), 'cairnq-examples-'));
  let complaints;

  beforeAll(() => {
    installExamples();
    complaints = typecheck(
      home,
      files.map((file) => path.join(root, file)),
    );
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it.each(files)('%s', (file) => {
    expect(complaints(path.join(root, file))).toEqual([]);
  });
});
