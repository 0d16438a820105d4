select value from cairnq_meta where key = 'schema_version';
