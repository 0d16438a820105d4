import { CairnQ, defineTask } from '@cairnq/native';

/** @type {import('@cairnq/native').TaskDef<{ image: string, width: number }, { file: string }>} */
export const thumbnail = defineTask('image.thumbnail');

/**
 * One client for the whole server. It hangs on globalThis because the development server loads this module anew after
 * every edit, and each client would hold the database open.
 */
export function queue() {
  const shared = /** @type {{ thumbnailQueue?: CairnQ }} */ (globalThis);
  shared.thumbnailQueue ??= CairnQ.sqlite(process.env.DATABASE ?? 'thumbnails.db');
  return shared.thumbnailQueue;
}
