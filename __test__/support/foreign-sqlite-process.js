import Database from 'libsql';

/** @type {Database.Database | undefined} */
let kept;

function open(path) {
  const db = new Database(path);
  db.exec('PRAGMA busy_timeout = 5000');
  return db;
}

/** Statements that give no rows have to be run, not read. */
function execute(db, text, params) {
  const statement = db.prepare(text);
  if (statement.reader) return statement.all(...params);
  statement.run(...params);
  return [];
}

function answer({ op, path, text, params }) {
  if (op === 'open') {
    kept = open(path);
    return [];
  }
  if (op === 'sql') return execute(kept, text, params);
  const db = open(path);
  try {
    return execute(db, text, params);
  } finally {
    db.close();
  }
}

process.on('message', ({ id, ...request }) => {
  try {
    process.send({ id, rows: answer(request) });
  } catch (error) {
    process.send({ id, error: { message: error.message, code: error.code } });
  }
});
process.on('disconnect', () => {
  kept?.close();
  process.exit(0);
});
