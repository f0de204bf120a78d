-- Searches that are kept by name, to be asked again.
-- Safe while older code still runs: it knows nothing of the table.
CREATE TABLE saved_searches (
  tenant   TEXT NOT NULL,
  id       TEXT NOT NULL,
  user_id  TEXT NOT NULL DEFAULT '',
  agent    TEXT NOT NULL DEFAULT '',
  context  TEXT NOT NULL DEFAULT 'global',
  name     TEXT NOT NULL,
  question TEXT NOT NULL,  -- JSON, so that any character fits
  filters  TEXT NOT NULL DEFAULT '{}',
  saved_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX saved_searches_user ON saved_searches (tenant, user_id);
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('saved_searches', 'saved_searches_user', '1000000 100000 1000'),
  ('saved_searches', 'sqlite_autoindex_saved_searches_1', '1000000 100000 1');
ANALYZE sqlite_schema;
