/**
 * The code blocks of a Markdown page, and what each says about itself in an HTML comment right above it:
 *
 *   <!-- example: NAME -->     runs inside fixtures/PAGE/NAME.js (or .ts, .sh), in the place of its line "// here"
 *   <!-- types only: WHY -->   is type-checked, and cannot run here
 *   <!-- not run: WHY -->      is neither, and says why
 *
 * A block without a comment is a whole program and runs as it stands.
 */
const FENCE = /^```(\S*)\n([\s\S]*?)^```$/gm;
const COMMENT = /<!--\s*(example|types only|not run):\s*([\s\S]*?)\s*-->\s*$/;

const PROGRAMS = ['js', 'ts', 'sh'];
/** What is shown and cannot be run by anybody. */
const TEXTS = ['diff', 'dockerfile', 'json', 'sql', 'text', 'yaml'];

/**
 * @typedef {{
 *   line: number, lang: 'js' | 'ts' | 'sh', code: string,
 *   kind: 'program' | 'example' | 'types only' | 'not run', note: string,
 * }} Block
 *
 * @param {string} markdown
 * @returns {Block[]}
 */
export function codeBlocks(markdown) {
  const blocks = [];
  let end = 0;
  for (const match of markdown.matchAll(FENCE)) {
    const [text, lang, code] = match;
    const between = markdown.slice(end, match.index);
    end = match.index + text.length;
    const line = markdown.slice(0, match.index).split('\n').length;
    if (TEXTS.includes(lang)) continue;
    if (!PROGRAMS.includes(lang)) {
      const known = [...PROGRAMS, ...TEXTS].join(', ');
      throw new Error(`line ${line}: a block in "${lang}"; its language has to be one of ${known}`);
    }
    const [, kind = 'program', note = ''] = COMMENT.exec(between) ?? [];
    if (kind !== 'program' && note === '')
      throw new Error(`line ${line}: "${kind}" without a reason`);
    blocks.push({ line, lang, code, kind, note });
  }
  return blocks;
}

/**
 * What a program says beside its console.log lines that they print.
 * @param {string} code
 */
export function announcedOutput(code) {
  return [...code.matchAll(/^\s*console\.log\(.*\);? \/\/ (.+)$/gm)].map(([, output]) => output);
}
