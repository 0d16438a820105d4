import { expect, it } from 'vitest';
import { objections } from '../../scripts/crates.js';
import { isAllowed } from '../../scripts/licences.js';

const allowed = new Set(['MIT', 'ISC', 'Apache-2.0 WITH LLVM-exception']);

it.each([
  'MIT',
  'GPL-3.0 OR MIT',
  'MIT/GPL-3.0',
  'GPL-3.0 / MIT',
  'MIT AND ISC',
  '(GPL-3.0 OR MIT) AND ISC',
  'GPL-3.0 AND ISC OR MIT',
  'Apache-2.0 WITH LLVM-exception OR GPL-3.0',
])('%s may be had under allowed licences', (expression) => {
  expect(isAllowed(expression, allowed)).toBe(true);
});

it.each([
  null,
  '',
  'GPL-3.0',
  'MIT AND GPL-3.0',
  'MIT AND (GPL-3.0 OR BSD-2-Clause)',
  'Apache-2.0',
  'Apache-2.0 WITH another-exception',
  'MIT GPL-3.0',
  '(MIT',
])('%s may not', (expression) => {
  expect(isAllowed(expression, allowed)).toBe(false);
});

it('a crate is objected to for its licence, its name and where it comes from', () => {
  const source = 'registry+https://github.com/rust-lang/crates.io-index';
  const fine = { name: 'fine', version: '1.0.0', license: 'MIT', source };
  expect(objections([fine])).toEqual([]);
  expect(
    objections([
      { ...fine, name: 'viral', license: 'GPL-3.0' },
      { ...fine, name: 'openssl-sys' },
      { ...fine, name: 'forked', source: 'git+https://example.org/forked' },
      { ...fine, name: 'beside', source: null },
    ]),
  ).toEqual([
    'viral 1.0.0: GPL-3.0 is no allowed licence',
    'openssl-sys 1.0.0 is banned',
    'forked 1.0.0 comes from git+https://example.org/forked',
    'beside 1.0.0 comes from a path',
  ]);
});
