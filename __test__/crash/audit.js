/**
 * The database's own record of what became of each task, written by triggers inside the very transactions that
 * change it. Nothing the product believes or tells can colour it.
 */
const COLUMNS = ['task_id', 'old_status', 'new_status', 'attempt', 'lease_ms', 'at_ms'];

const TABLE = `create table crash_audit (
  n integer primary key, task_id text not null, old_status text not null, new_status text not null,
  attempt integer not null, lease_ms bigint, at_ms bigint not null)`;

const INSTALL = {
  sqlite: [
    TABLE,
    `create trigger crash_audit after update of status on cairnq_tasks when old.status <> new.status begin
       insert into crash_audit (${COLUMNS.join(', ')}) values
         (old.id, old.status, new.status, old.attempt, old.lease_until_ms, new.updated_at_ms);
     end`,
  ],
  postgres: [
    TABLE.replace('n integer', 'n bigint generated always as identity'),
    `create function crash_audit() returns trigger language plpgsql as $$ begin
       insert into crash_audit (${COLUMNS.join(', ')}) values
         (old.id, old.status, new.status, old.attempt, old.lease_until_ms, new.updated_at_ms);
       return null;
     end $$`,
    `create trigger crash_audit after update of status on cairnq_tasks for each row
       when (old.status is distinct from new.status) execute function crash_audit()`,
  ],
};

/** @param {{ name: string, sql: (text: string) => Promise<object[]> }} world a database with its tables made */
export async function installAudit(world) {
  for (const statement of INSTALL[world.name]) await world.sql(statement);
}

/** Every change of a task's status, in the order in which it happened to that task. */
export function readAudit(world) {
  return world.sql(`select ${COLUMNS.join(', ')} from crash_audit order by n`);
}
