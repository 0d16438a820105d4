import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Whether this run takes pictures. */
export const taking = Boolean(process.env.CAIRNQ_SCREENSHOTS);
const folder = taking && fileURLToPath(new URL('../../../docs/screenshots/', import.meta.url));

/**
 * Keeps a picture for the documentation when CAIRNQ_SCREENSHOTS asks for new ones: pictures of every run would differ by
 * the time they show.
 *
 * @param {import('playwright-core').Page} page
 * @param {string} name
 */
export async function shot(page, name) {
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}${name}.png`, animations: 'disabled', caret: 'hide' });
}
