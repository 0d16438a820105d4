/** Holds a lock or a read transaction on a SQLite file until told to let go, or for `config.ms`. */
import Database from 'libsql';
import { config, listen, tell } from './lines.js';

const db = new Database(config.target.path);
db.exec('pragma busy_timeout = 10000');
const end = () => {
  db.exec('rollback');
  tell('released');
};
db.exec(config.begin ?? 'begin immediate');
if (config.read) db.prepare('select count(*) from cairnq_tasks').get();
tell('held');
if (config.ms !== undefined) setTimeout(end, config.ms);
listen(end);
