/** A family of tasks as a tree. */
import { clean } from './format.js';
import { STATUS_COLOURS } from './terminal.js';

/** A chain of tasks that is longer is cut: each level takes two columns. */
const MAX_DEPTH = 50;

/**
 * @param {{ id: string, name: string, status: string, parent_id: string | null }[]} family
 * @param {string} shownId the task to point at
 * @param {import('./terminal.js').Terminal['paint']} paint
 * @returns {string[]}
 */
export function familyTree(family, shownId, paint) {
  const ids = new Set(family.map(({ id }) => id));
  /** @type {Map<string | null, typeof family>} */
  const children = new Map();
  for (const member of family) {
    // A parent that was purged, or is not among those shown, leaves its children at the top.
    const parent = member.parent_id !== null && ids.has(member.parent_id) ? member.parent_id : null;
    const under = parent === member.id ? null : parent;
    children.set(under, [...(children.get(under) ?? []), member]);
  }
  /** @type {string[]} */
  const lines = [];
  const seen = new Set();
  const add = (/** @type {string | null} */ parent, /** @type {string} */ indent, depth = 0) => {
    const members = children.get(parent) ?? [];
    members.forEach((member, index) => {
      if (seen.has(member.id)) return;
      seen.add(member.id);
      const last = index === members.length - 1;
      const branch = depth === 0 ? '' : last ? '└─ ' : '├─ ';
      const mark = member.id === shownId ? paint('bold', ' ◀') : '';
      const status = paint(STATUS_COLOURS[member.status], member.status);
      lines.push(`${indent}${branch}${member.id} ${clean(member.name)} ${status}${mark}`);
      if (depth === MAX_DEPTH) {
        if (children.has(member.id)) lines.push(`${indent}   …`);
        return;
      }
      add(member.id, depth === 0 ? '' : `${indent}${last ? '   ' : '│  '}`, depth + 1);
    });
  };
  add(null, '');
  // Whoever is its own ancestor has no way down from the top.
  for (const member of family) {
    if (!seen.has(member.id)) lines.push(`${member.id} ${clean(member.name)} ${member.status}`);
  }
  return lines;
}
