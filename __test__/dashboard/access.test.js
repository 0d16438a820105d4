import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqlite } from '../support/sqlite-backend.js';
import { launch, noBrowser, openPage } from './support/browser.js';
import { shot } from './support/shots.js';
import { stage } from './support/stage.js';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const PICTURES = ['overview-dark', 'workers-dark', 'tasks-phone'];

describe.skipIf(noBrowser)('accessibility', () => {
  let world;
  let shop;
  let locked;
  let browser;
  beforeAll(async () => {
    world = await openSqlite();
    shop = await stage(world);
    const { serveDashboard } = await import('@cairnq/dashboard');
    locked = await serveDashboard({
      store: world.store,
      port: 0,
      token: 'a token that nobody guesses',
    });
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await locked?.close();
    await shop?.close();
    await world?.close();
  });

  const PAGES = {
    overview: { path: '', ready: '.numbers .share' },
    tasks: { path: 'tasks', ready: '.tasks tbody tr' },
    'more filters': { path: 'tasks?key=none', ready: '.state-title' },
    'a finished task': { path: () => `tasks/${shop.tasks.sent.id}`, ready: '.json .j-key' },
    'a failed task': { path: () => `tasks/${shop.tasks.failed.id}`, ready: '.error' },
    'a family': { path: () => `tasks/${shop.tasks.report.id}`, ready: '.family tbody tr' },
    workers: { path: 'workers', ready: '.worker tbody tr' },
    'a missing task': { path: 'tasks/none', ready: '.state-title' },
    purge: { path: 'tasks', ready: '.tasks tbody tr', click: 'Purge…' },
    selection: { path: 'tasks', ready: '.tasks tbody tr', check: true },
    login: { path: () => '', ready: '.login form', locked: true },
  };

  describe.each([
    ['light', {}],
    ['dark', {}],
    ['light', PHONE],
  ])('%s %o', (colorScheme, device) => {
    it('7.3 axe finds nothing on any page', async () => {
      const options = { ...device, colorScheme, bypassCSP: true };
      const { page, close } = await openPage(browser, shop.served.url, options);
      for (const [name, { path, ready, click, check, locked: other }] of Object.entries(PAGES)) {
        const base = other ? locked.url : shop.served.url;
        await page.goto(base + (typeof path === 'function' ? path() : path));
        await page.locator(ready).first().waitFor();
        if (click) await page.getByRole('button', { name: click }).click();
        if (check) await page.locator('.tasks tbody input').first().check();
        await page.addScriptTag({ path: axe });
        const { violations } = await page.evaluate(() => globalThis.axe.run());
        const found = violations.map(({ id, nodes }) => `${name}: ${id} ${nodes[0].html}`);
        expect(found).toEqual([]);
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(overflow, `${name} is wider than the screen`).toBe(0);
        const picture = `${name}-${device === PHONE ? 'phone' : colorScheme}`;
        if (PICTURES.includes(picture)) await shot(page, picture);
      }
      await close();
    }, 120_000);
  });

  it('7.3 the theme can be chosen against the system', async () => {
    const { page, close } = await openPage(browser, shop.served.url, { colorScheme: 'light' });
    const ground = () =>
      page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await ground();
    await page.getByRole('button', { name: 'Theme: system' }).click();
    await page.getByRole('button', { name: 'Theme: light' }).click();
    await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
    expect(await ground()).toBe(dark);
    await close();
  });

  it('7.3 the token is asked for, refused when wrong, and let in when right', async () => {
    const { page, close } = await openPage(browser, locked.url);
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', { name: 'Enter' }).click();
    await page.getByText('that is not the token').waitFor();
    await page.getByLabel('Token').fill('a token that nobody guesses');
    await page.getByRole('button', { name: 'Enter' }).click();
    await page.locator('h1', { hasText: 'Overview' }).waitFor();
    await page.reload();
    await page.locator('h1', { hasText: 'Overview' }).waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Token').waitFor();
    // As a link: the fragment is not sent, and does not stay.
    await page.goto(`${locked.url}tasks#token=a+token+that+nobody+guesses`);
    await page.locator('h1', { hasText: 'Tasks' }).waitFor();
    await page.waitForURL(`${locked.url}tasks`);
    // Nor when it is not needed.
    await page.goto(`${locked.url}workers#token=a+token+that+nobody+guesses`);
    await page.locator('h1', { hasText: 'Workers' }).waitFor();
    await page.waitForURL(`${locked.url}workers`);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Token').waitFor();
    // As a link again, and out again: who has left stays out.
    await page.goto(`${locked.url}tasks#token=a+token+that+nobody+guesses`);
    await page.locator('h1', { hasText: 'Tasks' }).waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Token').waitFor();
    await close();
  });
});
