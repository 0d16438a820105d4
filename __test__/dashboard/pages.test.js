import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEveryBackend } from '../backends.js';
import { until } from '../support/until.js';
import { launch, noBrowser, openPage } from './support/browser.js';
import { shot, taking } from './support/shots.js';
import { keepBusy, stage } from './support/stage.js';

onEveryBackend('the pages', ({ name, open }) => {
  describe.skipIf(noBrowser)('in a browser', () => {
    const pictures = name === 'sqlite';
    let world;
    let shop;
    let browser;
    let page;
    let faults;
    beforeAll(async () => {
      world = await open();
      shop = await stage(world);
      browser = await launch();
      ({ page, faults } = await openPage(browser, shop.served.url));
    });
    afterAll(async () => {
      await browser?.close();
      await shop?.close();
      await world?.close();
    });

    const go = async (path) => {
      await page.goto(shop.served.url + path);
      await page.locator('h1').first().waitFor();
    };
    const text = (selector) => page.locator(selector).first().textContent();
    const statusIs = (status) => page.locator(`h1 .status.is-${status}`).waitFor();
    const button = (label) => page.getByRole('button', { name: label, exact: true });
    const toast = (words) => page.locator('.toast', { hasText: words }).waitFor();

    it('7.3 the overview shows queues, names and charts, and stays current', async () => {
      await go('');
      const queues = page.getByRole('region', { name: 'Queues' });
      await queues.getByRole('link', { name: 'search' }).waitFor();
      expect(await page.locator('.chart canvas').count()).toBe(4);
      await page.getByRole('region', { name: 'Task names' }).getByText('webhook.deliver').waitFor();
      const due = page.locator('.tile', { hasText: 'Due now' }).locator('.tile-value');
      expect(await due.textContent()).toBe('1');
      await shop.client.submit('text.embed', {}, { queue: 'search' });
      await page.locator('.tile', { hasText: 'Due now' }).getByText('2', { exact: true }).waitFor();
      expect(await text('.tile:has-text("Running") .tile-value')).toBe('3');
    });

    it('7.3 the overview narrows to a queue and to a time', async () => {
      await go('');
      await page
        .getByRole('region', { name: 'Queues' })
        .getByRole('link', { name: 'media' })
        .click();
      await until(() => page.url().endsWith('?queue=media'));
      await page.locator('.tile:has-text("Running") .tile-value', { hasText: /^2$/ }).waitFor();
      await page.getByRole('radio', { name: '1 h' }).check();
      await until(() => page.url().includes('window=3600000'));
      await page.goBack();
      await page.getByRole('combobox', { name: 'Queue' }).selectOption('');
      await page.locator('.tile:has-text("Running") .tile-value', { hasText: /^3$/ }).waitFor();
    });

    it('7.3 the list filters, and pages by links that can be shared', async () => {
      await go('tasks');
      await page.locator('.tasks tbody tr').first().waitFor();
      expect(await page.locator('.tasks tbody tr').count()).toBe(50);
      if (pictures) await shot(page, 'tasks');
      const first = await text('.tasks tbody tr .row-link');
      await page.getByRole('link', { name: 'Older' }).click();
      await until(() => page.url().includes('before='));
      await until(async () => (await text('.tasks tbody tr .row-link')) !== first);
      await page.reload();
      await page.getByRole('link', { name: 'Newest' }).click();
      await until(async () => (await text('.tasks tbody tr .row-link')) === first);

      await page.getByRole('radio', { name: 'failed' }).check();
      await until(() => page.url().includes('status=failed'));
      await until(async () => (await page.locator('.tasks .status:not(.is-failed)').count()) === 0);
      await page.getByLabel('Task name').fill('webhook.deliver');
      await page.keyboard.press('Enter');
      await until(() => page.url().includes('name=webhook.deliver'));
      await page.getByRole('radio', { name: 'queued' }).check();
      await page.getByRole('heading', { name: 'No task matches' }).waitFor();
      await page.getByRole('link', { name: 'Clear the filters' }).click();
      await until(async () => (await page.locator('.tasks tbody tr').count()) === 50);
      await page.getByRole('button', { name: 'More filters' }).click();
      await page.getByLabel('Key', { exact: true }).fill('receipt-4711');
      await page.keyboard.press('Enter');
      await until(async () => (await page.locator('.tasks tbody tr').count()) === 1);
    });

    it('7.3 a task shows payload, result, keys and times', async () => {
      await go(`tasks/${shop.tasks.sent.id}`);
      await statusIs('succeeded');
      const payload = page.getByRole('region', { name: 'Payload' });
      await payload.getByText('"Fountain pen"').waitFor();
      await page.getByRole('region', { name: 'Result' }).getByText('"msg_81ca"').waitFor();
      await page.getByRole('region', { name: 'Metadata' }).getByText('"00-4bf92f35"').waitFor();
      const facts = await text('.facts');
      for (const fact of ['receipt-4711', 'order-4711', '1 of 3', shop.workerId]) {
        expect(facts).toContain(fact);
      }
    });

    it('7.3 a running task shows lease, progress and children, which lead back', async () => {
      await go(`tasks/${shop.tasks.report.id}`);
      await statusIs('running');
      const progress = page.getByRole('region', { name: 'Progress' });
      await progress.getByText('waiting for the printer').waitFor();
      expect(await progress.locator('.lease').textContent()).toMatch(/^\d+ s$/);
      expect(await progress.getByText('75 %').count()).toBe(1);
      const children = page.getByRole('region', { name: 'Children' });
      await until(async () => (await children.locator('tbody tr').count()) === 3);
      if (pictures) await shot(page, 'family');
      await children.locator('.row-link').first().click();
      await page.locator('h1', { hasText: 'mail.send' }).waitFor();
      await page.locator('.facts a', { hasText: 'report.build' }).first().click();
      await page.locator('h1', { hasText: 'report.build' }).waitFor();
    });

    it('7.3 a failed task shows its error and can be retried', async () => {
      const { failed } = shop.tasks;
      await go(`tasks/${failed.id}`);
      await statusIs('failed');
      const error = page.getByRole('region', { name: 'Error' });
      await error.getByText("(reading 'address')").first().waitFor();
      if (pictures) await shot(page, 'failed');
      await button('Retry').click();
      const dialog = page.getByRole('dialog', { name: 'Retry this task?' });
      await dialog.getByLabel('Count attempts from 0 again').check();
      await dialog.getByRole('button', { name: 'Retry' }).click();
      await toast('1 task queued again');
      await until(
        async () => (await shop.client.get(failed.id)).updated_at_ms > failed.updated_at_ms,
      );
      await shop.client.wait(failed.id);
      expect((await shop.client.get(failed.id)).attempt).toBe(1);
      await statusIs('failed');
    });

    it('7.3 an action asks first, and Escape changes nothing', async () => {
      await go(`tasks/${shop.tasks.later.id}`);
      await statusIs('delayed');
      await button('Cancel').click();
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await until(async () => (await page.getByRole('dialog').count()) === 0);
      expect((await shop.client.get(shop.tasks.later.id)).status).toBe('queued');
      await button('Cancel').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Keep as it is' }).click();
      expect((await shop.client.get(shop.tasks.later.id)).status).toBe('queued');
      await button('Cancel').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel the task' }).click();
      await toast('1 task asked to stop');
      await statusIs('canceled');
      expect((await shop.client.get(shop.tasks.later.id)).status).toBe('canceled');
    });

    it('7.3 workers show what they run and the cancel that was asked for', async () => {
      await go('workers');
      const worker = page.getByRole('region', { name: `Worker ${shop.workerId}` });
      await worker.getByText('page 4 of 10').first().waitFor();
      expect(await worker.locator('tbody tr').count()).toBe(3);
      expect(await worker.locator('tbody .lease').first().textContent()).toMatch(/^\d+ s$/);
      await page.goto(`${shop.served.url}tasks/${shop.tasks.doomed.id}`);
      await button('Cancel').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel the task' }).click();
      await statusIs('canceling');
      await page.getByText('the handler has not seen it yet').waitFor();
      await go('workers');
      await worker.locator('.status.is-canceling').waitFor();
    });

    it('7.3 many tasks are chosen and acted on together', async () => {
      const { client } = shop;
      const ids = [];
      for (let n = 0; n < 3; n++) ids.push((await client.submit('bulk', {}, { queue: 'bulk' })).id);
      await go('tasks?queue=bulk');
      await page.getByLabel('Select all on this page').check();
      const toolbar = page.getByRole('toolbar', { name: 'Selected tasks' });
      await toolbar.getByText('3 tasks selected').waitFor();
      await toolbar.getByRole('button', { name: /^Cancel/ }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel the tasks' }).click();
      await toast('3 tasks asked to stop');
      await until(async () => (await page.locator('.tasks .is-canceled').count()) === 3);
      for (const id of ids) expect((await client.get(id)).status).toBe('canceled');
    });

    it('7.3 purge deletes what the words say, after a second yes', async () => {
      await go('tasks?status=canceled&queue=bulk');
      await button('Purge…').click();
      const dialog = page.getByRole('dialog', { name: 'Purge finished tasks' });
      await dialog
        .getByRole('combobox', { name: 'Ended', exact: true })
        .selectOption({ label: 'any time ago' });
      expect(await dialog.locator('p').first().textContent()).toMatch(
        /deletes canceled tasks of queue bulk that ended at any time/,
      );
      const purge = dialog.getByRole('button', { name: 'Purge' });
      expect(await purge.isDisabled()).toBe(true);
      await dialog.getByLabel('Delete them for good').check();
      if (pictures) await shot(page, 'purge');
      await purge.click();
      await toast('3 tasks purged');
      await page.getByRole('heading', { name: 'No task matches' }).waitFor();
      const rest = await shop.client.list({ queue: 'bulk' });
      expect(rest).toEqual([]);
    });

    it('7.3 the keyboard goes everywhere', async () => {
      await go('');
      await page.keyboard.press('g');
      await page.keyboard.press('w');
      await page.locator('h1', { hasText: 'Workers' }).waitFor();
      await until(async () => (await page.evaluate(() => document.activeElement.id)) === 'main');
      await page.keyboard.press('/');
      await until(async () => (await page.evaluate(() => document.activeElement.id)) === 'find');
      await page.keyboard.type(shop.tasks.sent.id);
      await page.keyboard.press('Enter');
      await page.locator('h1', { hasText: 'mail.send' }).waitFor();
      await page.keyboard.press('?');
      const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
      await help.getByLabel('Use these keys').uncheck();
      await page.keyboard.press('Escape');
      await page.keyboard.press('g');
      await page.keyboard.press('o');
      await page.keyboard.press('?');
      expect(await page.locator('h1').textContent()).toContain('mail.send');
      expect(await page.getByRole('dialog').count()).toBe(0);
      await page.evaluate(() => localStorage.clear());
      await go('');
      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement.textContent)).toBe(
        'Skip to the page',
      );
    });

    it('7.3 says when there is no such task or page, and when the server is gone', async () => {
      await go('tasks/task_none');
      await page.getByRole('heading', { name: 'There is no such task' }).waitFor();
      await go('elsewhere');
      await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
      await go('workers');
      await page.getByRole('region', { name: `Worker ${shop.workerId}` }).waitFor();
      await page.route('**/api/**', (route) => route.abort());
      await page.getByRole('alert').getByText('does not answer').waitFor();
      await page.getByRole('region', { name: `Worker ${shop.workerId}` }).waitFor();
      await page.unroute('**/api/**');
      await until(async () => (await page.getByRole('alert').count()) === 0);
      await page.route('**/api/workers', (route) => route.fulfill({ body: '{"workers":[' }));
      await page.getByRole('alert').getByText('broke off').waitFor();
      await page.getByRole('region', { name: `Worker ${shop.workerId}` }).waitFor();
      await page.unroute('**/api/workers');
      await until(async () => (await page.getByRole('alert').count()) === 0);
      faults.splice(
        0,
        faults.length,
        ...faults.filter((fault) => !/net::ERR_FAILED|404/.test(fault)),
      );
    });

    it('7.3 nothing was complained about, and no other host asked', async () => {
      if (pictures && taking) {
        await keepBusy(shop.client, 60_000);
        await page.setViewportSize({ width: 1280, height: 1400 });
        await go('?window=300000');
        await page.locator('.share').first().waitFor();
        await shot(page, 'overview');
      }
      expect(faults.join('\n')).toBe('');
    }, 120_000);
  });
});
