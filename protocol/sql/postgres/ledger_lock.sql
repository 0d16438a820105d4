lock table cairnq_migrations in exclusive mode
