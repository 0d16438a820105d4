import { afterAll, describe, expect, it } from 'vitest';
import { Project } from './project.js';
import { typecheck } from './typecheck.js';

describe('the harness of the pages notices', () => {
  const project = new Project();
  afterAll(() => project.remove());
  const write = (slug, lang, source) => project.write({ slug, lang, source });

  it('a block that fails, and one that never ends', async () => {
    const failing = await project.run(write('fails', 'js', "throw new Error('as shown');\n"));
    expect(failing.code).toBe(1);
    expect(failing.stderr).toContain('as shown');
    const shell = await project.run(write('shell', 'sh', 'false | true\necho not here\n'));
    expect(shell).toEqual({ code: 1, stdout: '', stderr: '' });
    const endless = write('endless', 'js', 'setInterval(() => {}, 1000);\n');
    const { code } = await project.run(endless, { timeoutMs: 500 });
    expect(code).toBe('still running after 500 ms');
  });

  it('TypeScript, which runs with its types taken away', async () => {
    const file = write('typed', 'ts', 'const n: number = 5;\nconsole.log(n);\n');
    expect(await project.run(file)).toEqual({ code: 0, stdout: '5\n', stderr: '' });
  });

  it('options that do not exist, in JavaScript as in TypeScript', () => {
    const source = `import { CairnQ } from '@cairnq/native';
export const submit = (client = CairnQ.sqlite('x')) => client.submit('n', {}, { delay: 5 });
`;
    const files = [write('one', 'js', source), write('other', 'ts', source)];
    const right = write('right', 'js', source.replace('delay', 'runAtDelayMs'));
    const complaints = typecheck(project.home, [...files, right]);
    for (const file of files) expect(complaints(file).join()).toContain("'delay' does not exist");
    expect(complaints(right)).toEqual([]);
  });
});
