/** Imports the package and tells what that changed in the process. */
import { readdirSync } from 'node:fs';
import { tell } from './lines.js';

const threads = () => {
  try {
    return readdirSync('/proc/self/task').length;
  } catch {
    return 0;
  }
};
const listeners = () =>
  Object.fromEntries(
    process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
  );

const before = { listeners: listeners(), resources: process.getActiveResourcesInfo() };
const cairnq = await import('@cairnq/native');
// Constructing opens nothing either: connecting is lazy.
new cairnq.SQLiteStore(':memory:');
const after = { listeners: listeners(), resources: process.getActiveResourcesInfo() };
tell('imported', { before, after, names: Object.keys(cairnq), threads: threads() });
