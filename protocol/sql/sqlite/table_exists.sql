select exists (select 1 from sqlite_schema where type = ?1 and name = ?2);
