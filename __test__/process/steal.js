/** Gives a task to another worker behind its owner's back, by SQL. */
import { config, listen, tell } from './lines.js';

const change = "update cairnq_tasks set worker_id = 'worker_thief' where id =";

async function steal(taskId) {
  if (config.target.kind === 'sqlite') {
    const { default: Database } = await import('libsql');
    const db = new Database(config.target.path);
    db.exec('pragma busy_timeout = 5000');
    db.prepare(`${change} ?`).run(taskId);
    db.close();
    return;
  }
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: config.target.dsn });
  await client.connect();
  await client.query(`${change} $1`, [taskId]);
  await client.end();
}

listen(({ taskId }) => steal(taskId).then(() => tell('stolen', { taskId })));
tell('ready');
