import { QueueFull } from '@cairnq/native';
import express from 'express';

/** @param {import('@cairnq/native').CairnQ} client */
export function createApp(client) {
  const app = express();
  app.use(express.json());

  // One report per month is built at a time: asking again while it is under way gives the same task.
  app.post('/reports', async (req, res) => {
    const { month } = req.body ?? {};
    if (!/^\d{4}-\d{2}$/.test(month)) return res.status(400).json({ error: 'month is YYYY-MM' });
    const task = await client.submit('report.build', { month }, { key: `report-${month}` });
    res.status(202).location(`/reports/${task.id}`).json(shown(task));
  });

  app.get('/reports/:id', async (req, res) => {
    const task = await client.get(req.params.id);
    if (task === null) return res.status(404).json({ error: 'no such report' });
    res.json(shown(task));
  });

  app.delete('/reports/:id', async (req, res) => {
    const task = await client.cancel(req.params.id);
    if (task === null) return res.status(409).json({ error: 'no such report, or it has ended' });
    res.status(202).json(shown(task));
  });

  app.use((error, _req, res, next) => {
    if (!(error instanceof QueueFull)) return next(error);
    res.status(503).set('Retry-After', '30').json({ error: 'too much to do, try again later' });
  });
  return app;
}

function shown({ id, status, progress, result, error }) {
  return { id, status, progress, result, error: error?.message ?? null };
}
