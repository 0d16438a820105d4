import { read } from './api.js';

/** Questions asked for one page: each is short, and a rare kind of task may need several. */
const QUESTIONS = 4;

/** A page of the list; the same arguments as those of `read`. */
export async function readPage(name, params, signal) {
  let page = await read(name, params, signal);
  for (let n = 1; n < QUESTIONS && page.tasks.length === 0 && page.next !== null; n++) {
    page = await read(name, { ...params, before: page.next }, signal);
  }
  return page;
}
