import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { pages, readPage, root } from './pages.js';

const OTHERS = ['ARCHITECTURE.md', 'SECURITY.md', 'bench/README.md', 'protocol/PROTOCOL.md'];

describe('links between the pages', () => {
  it.each([...pages(), ...OTHERS])('of %s lead somewhere', (page) => {
    const dead = relativeLinks(readPage(page)).filter((link) => !leadsSomewhere(page, link));
    expect(dead).toEqual([]);
  });

  it('reach every page of docs from the index', () => {
    const linked = relativeLinks(readPage('docs/README.md')).map((link) =>
      path.posix.join('docs', link.split('#')[0]),
    );
    const missing = pages().filter(
      (page) => /^docs\/[^/]+\.md$/.test(page) && page !== 'docs/README.md',
    );
    expect(missing.filter((page) => !linked.includes(page))).toEqual([]);
  });
});

function relativeLinks(markdown) {
  const prose = markdown.replace(/^```[\s\S]*?^```$/gm, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

function leadsSomewhere(page, link) {
  const [file, anchor] = link.split('#');
  const target = file === '' ? page : path.posix.join(path.posix.dirname(page), file);
  if (!existsSync(path.join(root, target))) return false;
  return anchor === undefined || anchors(readPage(target)).includes(anchor);
}

/** The anchors GitHub gives to headings. */
function anchors(markdown) {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
