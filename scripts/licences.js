// Licence expressions, as SPDX writes them: `MIT OR (Apache-2.0 WITH LLVM-exception AND ISC)`.

/**
 * Whether what the expression offers can be had under allowed licences alone.
 *
 * @param {string | null} expression
 * @param {Set<string>} allowed
 * @returns {boolean}
 */
export function isAllowed(expression, allowed) {
  // Older crates write a slash for OR.
  const words = (expression ?? '').replaceAll('/', ' OR ').match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;

  const either = () => {
    let ok = both();
    while (words[at] === 'OR') {
      at += 1;
      ok = both() || ok;
    }
    return ok;
  };
  const both = () => {
    let ok = one();
    while (words[at] === 'AND') {
      at += 1;
      ok = one() && ok;
    }
    return ok;
  };
  const one = () => {
    if (words[at] === '(') {
      at += 1;
      const ok = either();
      return words[at++] === ')' && ok;
    }
    let licence = words[at++];
    if (words[at] === 'WITH') {
      licence += ` WITH ${words[at + 1]}`;
      at += 2;
    }
    return allowed.has(licence);
  };

  return words.length > 0 && either() && at === words.length;
}
