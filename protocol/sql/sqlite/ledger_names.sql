select name from cairnq_migrations;
