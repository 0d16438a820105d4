-- An installation in a schema of its own notifies on channels of its own, for channels belong to the whole database.
-- A channel's name has room for 63 bytes.
do $$
declare
  home constant text := current_setting('cairnq.schema');
begin
  execute format(
    'create or replace trigger cairnq_tasks_notify after insert or update of status on cairnq_tasks '
    'for each row when (new.status <> ''running'') execute function cairnq_notify(%L)',
    case when octet_length(home) <= 40 then home else md5(home) end || '.'
  );
end
$$
