import { once } from 'node:events';
import { createServer } from 'node:http';
import { serveDashboard } from '@cairnq/dashboard';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEveryBackend } from '../backends.js';
import { launch, noBrowser, openPage } from './support/browser.js';
import { insertRows, row } from './support/rows.js';

const MARKUP = '<img src=x onerror="window.hurt=1"><script>window.hurt=1</script>';

onEveryBackend('hostile contents', ({ open }) => {
  describe.skipIf(noBrowser)('in a browser', () => {
    let world;
    let served;
    let browser;
    beforeAll(async () => {
      world = await open();
      const error = {
        type: MARKUP,
        code: MARKUP,
        message: MARKUP,
        retryable: true,
        details: { [MARKUP]: MARKUP },
      };
      const common = {
        name: MARKUP,
        queue: MARKUP,
        payload: { [MARKUP]: MARKUP },
        metadata: { a: MARKUP },
        message: MARKUP,
        correlation_id: MARKUP,
      };
      const lease = { lease_until_ms: Date.now() + 600_000, worker_id: MARKUP, progress: 0.5 };
      await insertRows(world, [
        row({ id: `task_${MARKUP}`, status: 'failed', error, ...common }),
        row({
          id: 'task_done',
          result: MARKUP,
          parent_id: 'task_running',
          root_id: 'task_running',
          ...common,
        }),
        row({ id: 'task_running', status: 'running', ...lease, ...common }),
        row({ id: 'task_javascript:alert(1)', status: 'queued', ...common }),
      ]);
      await world.sql(
        'insert into cairnq_task_keys (key, task_id, created_at_ms, updated_at_ms) values (?, ?, 0, 0)',
        [MARKUP, 'task_running'],
      );
      served = await serveDashboard({ store: world.store, port: 0, title: MARKUP });
      browser = await launch();
    });
    afterAll(async () => {
      await browser?.close();
      await served?.close();
      await world?.close();
    });

    it('7.3 markup in names, queues, payloads, errors, keys and workers is shown as text', async () => {
      const { page, faults, close } = await openPage(browser, served.url);
      const paths = {
        '': '.numbers .share',
        tasks: '.tasks tbody tr',
        [`tasks/${encodeURIComponent(`task_${MARKUP}`)}`]: '.error',
        'tasks/task_running': '.family tbody tr',
        'tasks/task_done': '.json',
        workers: '.worker tbody tr',
        [`tasks?queue=${encodeURIComponent(MARKUP)}&name=${encodeURIComponent(MARKUP)}`]:
          '.tasks tbody tr',
      };
      for (const [path, ready] of Object.entries(paths)) {
        await page.goto(served.url + path);
        await page.locator(ready).first().waitFor();
        const seen = await page.evaluate(() => document.body.textContent);
        expect(seen, path).toContain('<script>window.hurt=1</script>');
        expect(await page.locator('img, script:not([src])').count(), path).toBe(0);
        expect(await page.evaluate(() => window.hurt), path).toBeUndefined();
      }
      expect(faults).toEqual([]);
      await close();
    });

    it('7.3 the policy stops a script even if one got into the page', async () => {
      const { page, faults, close } = await openPage(browser, served.url);
      await page.locator('h1').waitFor();
      const refused = await page.evaluate(() => {
        const attempts = {
          markup: () => {
            document.body.innerHTML = '<b>x</b>';
          },
          handler: () => document.body.setAttribute('onclick', 'window.hurt = 1'),
          text: () => {
            document.createElement('script').textContent = 'window.hurt = 1';
          },
        };
        const style = document.createElement('style');
        style.textContent = 'body { display: none }';
        document.head.append(style);
        return Object.keys(attempts).filter((name) => {
          try {
            attempts[name]();
            return false;
          } catch {
            return true;
          }
        });
      });
      expect(refused).toEqual(['markup', 'handler', 'text']);
      expect(await page.evaluate(() => window.hurt)).toBeUndefined();
      expect(await page.locator('h1').isVisible()).toBe(true);
      expect(faults.join('\n')).toMatch(/Content Security Policy/);
      await close();
    });

    it('7.3 a page of another site can neither act nor read nor frame', async () => {
      const evil = createServer((_, response) =>
        response.setHeader('content-type', 'text/html').end('<p>evil'),
      );
      evil.listen(0, '127.0.0.1');
      await once(evil, 'listening');
      // Another name for the same machine: another site, and the port does not matter to cookies.
      const { page, close } = await openPage(browser, served.url);
      await page.locator('h1').waitFor();
      await page.goto(`http://localhost:${evil.address().port}/`);
      const before = await world.client().stats();
      const outcome = await page.evaluate(async (url) => {
        const attempt = async (options) => {
          try {
            const answer = await fetch(`${url}api/purge`, { credentials: 'include', ...options });
            return answer.type === 'opaque' ? 'opaque' : answer.status;
          } catch {
            return 'blocked';
          }
        };
        const body = JSON.stringify({ olderThanMs: 0 });
        const json = { 'content-type': 'application/json', 'x-cairnq-csrf': '0'.repeat(32) };
        const frame = document.createElement('iframe');
        frame.src = url;
        const loaded = new Promise((resolve) => {
          frame.onload = resolve;
        });
        document.body.append(frame);
        await loaded;
        const read = await fetch(`${url}api/overview`).then(
          (answer) => answer.text(),
          () => 'blocked',
        );
        return {
          simple: await attempt({ method: 'POST', mode: 'no-cors', body }),
          asked: await attempt({ method: 'POST', headers: json, body }),
          read,
          framed: frame.contentDocument === null,
        };
      }, served.url);
      expect(outcome.asked).toBe('blocked');
      expect(outcome.read).toBe('blocked');
      expect(outcome.framed).toBe(true);
      expect(await world.client().stats()).toEqual(before);
      await close();
      evil.close();
    });
  });
});
