/** Columns of text. */
import { stripVTControlCharacters } from 'node:util';

/**
 * @typedef {{ title: string, right?: boolean }} Column
 * @param {Column[]} columns
 * @param {string[][]} rows cells may be coloured
 * @param {(text: string) => string} [head]
 * @returns {string[]} lines
 */
export function table(columns, rows, head = (text) => text) {
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...rows.map((row) => visible(row[index]))),
  );
  const line = (/** @type {string[]} */ cells) =>
    cells
      .map((cell, index) => {
        const gap = ' '.repeat(Math.max(0, widths[index] - visible(cell)));
        if (columns[index].right) return gap + cell;
        return index === cells.length - 1 ? cell : cell + gap;
      })
      .join('  ')
      .trimEnd();
  return [head(line(columns.map(({ title }) => title))), ...rows.map(line)];
}

/** @param {string} text */
function visible(text) {
  return [...stripVTControlCharacters(text)].length;
}
