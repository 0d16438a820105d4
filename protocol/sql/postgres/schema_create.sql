-- The schema is named by the setting, because a statement that creates one takes no parameter.
do $$
begin
  if to_regnamespace(quote_ident(current_setting('cairnq.schema'))) is null then
    execute format('create schema if not exists %I', current_setting('cairnq.schema'));
  end if;
end
$$
