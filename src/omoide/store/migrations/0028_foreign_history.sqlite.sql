-- Ledgers of other stores that archives brought along, as history that is not of this store; and a note of each archive that was written,
-- so that a receipt of forget names where copies may be.
-- Safe while older code still runs: it knows nothing of the tables.
CREATE TABLE foreign_ledgers (
  tenant  TEXT NOT NULL,
  id      TEXT NOT NULL,  -- of the loading
  made_at INTEGER NOT NULL,  -- when the archive was written
  head    TEXT NOT NULL DEFAULT '',  -- the hash at the end of the ledger there, by then
  entries INTEGER NOT NULL,
  hash    BLOB NOT NULL,  -- over the entries that are kept here
  PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE TABLE foreign_changes (
  tenant     TEXT NOT NULL,
  ledger     TEXT NOT NULL,
  seq        INTEGER NOT NULL,  -- in the archive
  id         TEXT NOT NULL,
  at         INTEGER NOT NULL,
  action     TEXT NOT NULL,
  kind       TEXT NOT NULL,
  record     TEXT NOT NULL,
  user_id    TEXT NOT NULL DEFAULT '',
  session_id TEXT NOT NULL DEFAULT '',
  actor      TEXT NOT NULL,
  cause      TEXT NOT NULL DEFAULT '',
  content    BLOB NOT NULL,
  told       BLOB NOT NULL,  -- the hash of the entry in its own chain
  hash       BLOB NOT NULL,  -- over this entry and the one before it here
  PRIMARY KEY (tenant, ledger, seq)
) WITHOUT ROWID;
CREATE UNIQUE INDEX foreign_changes_id ON foreign_changes (tenant, id);
CREATE INDEX foreign_changes_record ON foreign_changes (tenant, record);
CREATE INDEX foreign_changes_at ON foreign_changes (tenant, user_id, at);
CREATE TRIGGER foreign_changes_keep BEFORE UPDATE ON foreign_changes BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER foreign_changes_stay BEFORE DELETE ON foreign_changes BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TABLE exports (
  tenant     TEXT NOT NULL,
  id         TEXT NOT NULL,
  made_at    INTEGER NOT NULL,
  user_id    TEXT NOT NULL DEFAULT '',
  agent      TEXT NOT NULL DEFAULT '',
  everything INTEGER NOT NULL DEFAULT 0,  -- 1: of the whole tenant
  name       TEXT NOT NULL DEFAULT '',  -- of the file
  head       TEXT NOT NULL DEFAULT '',  -- the hash at the end of the ledger by then
  PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
-- So that the planner looks these up by their key, however many there are (as in 0007).
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('foreign_ledgers', 'foreign_ledgers', '1000 100 1'),
  ('foreign_changes', 'foreign_changes', '1000000 100000 1000 1'),
  ('foreign_changes', 'foreign_changes_id', '1000000 100000 1'),
  ('foreign_changes', 'foreign_changes_record', '1000000 100000 10'),
  ('foreign_changes', 'foreign_changes_at', '1000000 100000 1000 10'),
  ('exports', 'exports', '1000 100 1');
ANALYZE sqlite_schema;
