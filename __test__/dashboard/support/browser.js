import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath =
  process.env.CAIRNQ_TEST_CHROMIUM ?? PLACES.find((place) => existsSync(place));

/** Why no page can be looked at, or undefined. */
export const noBrowser = executablePath
  ? undefined
  : 'no Chromium is installed (Debian: apt-get install chromium); CAIRNQ_TEST_CHROMIUM can name one';
if (noBrowser) console.warn(`the tests of the dashboard's pages are skipped: ${noBrowser}`);

export async function launch() {
  return await chromium.launch({
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/**
 * A page that keeps account of everything it should not do: `faults` holds what the console, the content security policy
 * and the network had to complain about, and every host asked but the dashboard's.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {string} url
 * @param {import('playwright-core').BrowserContextOptions} [options]
 */
export async function openPage(browser, url, options) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const page = await context.newPage();
  const faults = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()))
      faults.push(`${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => faults.push(error.stack ?? error.message));
  page.on('request', (request) => {
    if (new URL(request.url()).host !== new URL(url).host) faults.push(request.url());
  });
  page.setDefaultTimeout(15_000);
  await page.goto(url);
  return { page, faults, close: () => context.close() };
}
