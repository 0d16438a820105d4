import { describe, expect, it } from 'vitest';
import { announcedOutput, codeBlocks } from './blocks.js';

const fenced = (lang, code = 'x();\n') => `\`\`\`${lang}\n${code}\`\`\``;

describe('the blocks of a page', () => {
  it('take what the comment right above them says', () => {
    const page = [
      'text',
      fenced('js'),
      '<!-- example: name -->',
      fenced('ts'),
      '<!-- not run: needs a\nserver -->\n',
      fenced('sh'),
      '<!-- example: too far away -->\ntext',
      fenced('js'),
      fenced('json'),
    ].join('\n');
    expect(codeBlocks(page).map(({ line, lang, kind, note }) => [line, lang, kind, note])).toEqual([
      [2, 'js', 'program', ''],
      [6, 'ts', 'example', 'name'],
      [12, 'sh', 'not run', 'needs a\nserver'],
      [17, 'js', 'program', ''],
    ]);
  });

  it('cannot hide behind another language, or without a reason', () => {
    expect(() => codeBlocks(fenced('javascript'))).toThrow('line 1: a block in "javascript"');
    expect(() => codeBlocks(fenced(''))).toThrow('line 1: a block in ""');
    expect(() => codeBlocks(`<!-- not run: -->\n${fenced('js')}`)).toThrow('without a reason');
  });

  it('announce what they print', () => {
    const code = 'console.log(a(1)); // 1\n  console.log(b) // { c: 2 }\nconsole.log(d);\n// e\n';
    expect(announcedOutput(code)).toEqual(['1', '{ c: 2 }']);
  });
});
