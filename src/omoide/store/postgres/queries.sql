-- server.facts --
-- What must be known before anything is done: versions, where the vector type lives, whether the store has been made.
SELECT current_setting('server_version_num')::int AS version,
       (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS vector_version,
       (SELECT default_version FROM pg_available_extensions WHERE name = 'vector') AS vector_available,
       (SELECT n.nspname::text FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector') AS vector_schema,
       to_regnamespace(quote_ident(:schema)) IS NOT NULL AS has_schema,
       to_regclass(quote_ident(:schema) || '.schema_versions') IS NOT NULL AS is_made;
-- server.vector_type --
-- The number of the vector type in this database.
SELECT t.oid::int AS oid FROM pg_extension e JOIN pg_type t ON t.typnamespace = e.extnamespace AND t.typname = 'vector'
 WHERE e.extname = 'vector';
-- server.lock --
-- Make other processes that make or migrate the same store wait until this transaction ends.
SELECT pg_advisory_xact_lock(hashtextextended('omoide ' || :schema, 0));
-- server.make_schema --
-- A schema of our own.
CREATE SCHEMA IF NOT EXISTS {schema};
-- server.make_vector --
-- The vector type.
CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;
-- server.size --
-- Bytes of all tables and indexes of a schema.
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint AS bytes
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = :schema AND c.relkind IN ('r', 'm', 'S');
-- server.tables --
-- The tables of a schema.
SELECT c.relname::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = :schema AND c.relkind = 'r' ORDER BY c.relname;
-- server.compacting --
-- What a role may rewrite: its own tables, and as a superuser the server's.
SELECT bool_and(pg_has_role(c.relowner, 'USAGE')) AS is_owner, current_setting('is_superuser') = 'on' AS is_superuser
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = :schema AND c.relkind = 'r';
-- server.rewrite --
-- Write a table and its indexes anew, without what was deleted; tells how many deleted rows others still see.
VACUUM (FULL, VERBOSE) {table};
-- server.sample --
-- Make the statistics of a table anew.
ANALYZE {table};
-- server.checkpoint --
-- Write all pages, and let files go that are no longer used.
CHECKPOINT;
