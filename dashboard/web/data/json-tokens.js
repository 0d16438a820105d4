/**
 * Cuts JSON text into the pieces that are coloured alike. Anything else comes back as plain text.
 */
const TOKEN =
  /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * @param {string} text
 * @returns {{ kind: 'key' | 'string' | 'number' | 'word' | 'plain', text: string }[]}
 */
export function jsonTokens(text) {
  const tokens = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    if (match.index > at) tokens.push({ kind: 'plain', text: text.slice(at, match.index) });
    const [token, string, colon] = match;
    if (string === undefined) {
      tokens.push({ kind: /^[tfn]/.test(token) ? 'word' : 'number', text: token });
    } else {
      tokens.push({ kind: colon ? 'key' : 'string', text: string });
      if (colon) tokens.push({ kind: 'plain', text: colon });
    }
    at = match.index + token.length;
  }
  if (at < text.length) tokens.push({ kind: 'plain', text: text.slice(at) });
  return tokens;
}
