-- schema.create --
-- The record of migrations that were run.
CREATE TABLE IF NOT EXISTS schema_versions (version BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL);
-- schema.applied --
-- Migrations that were run, oldest first.
SELECT version, name, checksum, applied_at FROM schema_versions ORDER BY version;
-- schema.record --
-- Note that a migration was run, in its own transaction.
INSERT INTO schema_versions (version, name, checksum, applied_at) VALUES (:version, :name, :checksum, :applied_at);
