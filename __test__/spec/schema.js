/** What a database looks like, asked of the database itself, in one shape for both kinds. */

export async function columns(stage, table) {
  if (stage.kind === 'sqlite') {
    const rows = await stage.sql(`select * from pragma_table_info('${table}')`);
    return Object.fromEntries(
      rows.map((row) => [
        row.name,
        {
          type: row.type.toLowerCase(),
          notNull: row.notnull === 1 || row.pk === 1,
          default: literal(row.dflt_value),
        },
      ]),
    );
  }
  const rows = await stage.sql(
    `select column_name, data_type, is_nullable, column_default from information_schema.columns
     where table_name = ? and table_schema = current_schema()`,
    [table],
  );
  return Object.fromEntries(
    rows.map((row) => [
      row.column_name,
      {
        type: row.data_type,
        notNull: row.is_nullable === 'NO',
        default: literal(row.column_default),
      },
    ]),
  );
}

/** `'default'::text` and `'default'` alike become `default`. */
function literal(text) {
  if (text === null || text === undefined) return null;
  return String(text)
    .replace(/::\w+$/, '')
    .replace(/^'(.*)'$/, '$1');
}

/** Index name -> its columns in order, ` desc` appended where the order is descending. */
export async function indexes(stage, table) {
  if (stage.kind === 'sqlite') {
    const list = await stage.sql(`select * from pragma_index_list('${table}') where origin = 'c'`);
    const found = {};
    for (const { name, partial } of list) {
      const keys = await stage.sql(`select * from pragma_index_xinfo('${name}') where key = 1`);
      const [{ sql }] = await stage.sql('select sql from sqlite_master where name = ?', [name]);
      found[name] = {
        columns: keys.map((key) => key.name + (key.desc ? ' desc' : '')),
        where: partial === 1 ? condition(sql) : null,
      };
    }
    return found;
  }
  const list = await stage.sql(
    `select indexname, indexdef from pg_indexes where tablename = ? and schemaname = current_schema()
     and indexname not like '%_pkey'`,
    [table],
  );
  return Object.fromEntries(
    list.map(({ indexname, indexdef }) => [
      indexname,
      {
        columns: /\(([^)]*)\)/
          .exec(indexdef)[1]
          .split(',')
          .map((column) => column.trim().toLowerCase()),
        where: / where /i.test(indexdef) ? condition(indexdef) : null,
      },
    ]),
  );
}

function condition(sql) {
  return sql
    .slice(sql.search(/\bwhere\b/i) + 6)
    .toLowerCase()
    .replace(/\s+/g, ' ');
}

export async function level(stage) {
  const [row] = await stage.sql("select value from cairnq_meta where key = 'schema_version'");
  return Number(row.value);
}

export async function ledger(stage) {
  const rows = await stage.sql('select name from cairnq_migrations order by name');
  return rows.map((row) => row.name);
}

const EVERY = [
  '0001_init.sql',
  '0002_purge_index.sql',
  '0003_notify.sql',
  '0004_lease_index.sql',
  '0005_clear_terminal_lease.sql',
  '0006_claim_name_index.sql',
  '0007_purge_status_index.sql',
  '0008_claim_due_index.sql',
  '0009_purge_queue_index.sql',
  '0010_drop_status_index.sql',
];

/** The migration names of this kind of database up to a level. */
export function migrations(stage, upTo) {
  return EVERY.filter(
    (name) =>
      Number(name.slice(0, 4)) <= upTo && (stage.kind === 'postgres' || !/notify/.test(name)),
  );
}
