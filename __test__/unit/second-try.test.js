import { describe, expect, it } from 'vitest';
import { javascriptTests } from '../../scripts/javascript-tests.js';

const failure = (file, text = `${file}: not within 10000 ms`) => ({ file, text });

/** Runs that end as told, and what they were asked to run. */
function runs(...failures) {
  const asked = [];
  const run = (args) => {
    asked.push(args);
    const failed = failures[asked.length - 1];
    return { passed: 10 - failed.length, failures: failed };
  };
  return { asked, run };
}

describe('a second try', () => {
  it('is not taken when all is well', () => {
    const { asked, run } = runs([]);
    expect(javascriptTests(['spec'], run)).toEqual({ passed: 10, failures: [], unstable: [] });
    expect(asked).toEqual([['spec']]);
  });

  it('goes to what failed, alone, and names what passes then', () => {
    const one = failure('__test__/cases/a.test.js');
    const { asked, run } = runs([one], []);
    expect(javascriptTests([], run)).toEqual({ passed: 10, failures: [], unstable: [one.text] });
    expect(asked[1]).toEqual([one.file, '--maxWorkers=1']);
  });

  it('does not hide what fails again', () => {
    const [one, two] = ['a', 'b'].map((name) => failure(`__test__/cases/${name}.test.js`));
    const { run } = runs([one, two], [two]);
    expect(javascriptTests([], run)).toEqual({ passed: 9, failures: [two.text], unstable: [] });
  });

  it.each([
    ['in a random program', failure('__test__/model/operations.test.js')],
    ['in a crash', failure('__test__/crash/crash.test.js')],
    ['by a property', failure('__test__/unit/a.test.js', 'a: Property failed after 7 tests')],
    ['outside of any test', { text: 'outside of any test: boom' }],
  ])('is not given to what was found %s', (_, found) => {
    const { asked, run } = runs([found]);
    expect(javascriptTests([], run)).toMatchObject({ failures: [found.text], unstable: [] });
    expect(asked).toHaveLength(1);
  });

  it('is not given to many files at once', () => {
    const { asked, run } = runs('abcd'.split('').map((name) => failure(`${name}.test.js`)));
    expect(javascriptTests([], run).failures).toHaveLength(4);
    expect(asked).toHaveLength(1);
  });
});
