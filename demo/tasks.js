import { defineTask } from '../index.js';

/** The tasks that producer and worker agree on; they share nothing else but the database. */
export const indexFile = defineTask('file.index');
export const digestFile = defineTask('file.digest');
export const buildIndex = defineTask('index.build');
export const writeShard = defineTask('shard.write');
export const refreshFeed = defineTask('feed.refresh');
export const importFile = defineTask('file.import');
export const watchFolder = defineTask('folder.watch');
