-- Procedures: how-tos learnt from failures and successes, found by vectors of their own. Texts are JSON, so that any character fits.
-- Safe while older code still runs: it knows nothing of the tables.
CREATE TABLE procedures (
  tenant        TEXT NOT NULL,
  id            TEXT NOT NULL,
  user_id       TEXT NOT NULL DEFAULT '',
  agent         TEXT NOT NULL DEFAULT '',
  name          TEXT NOT NULL,
  when_to_use   TEXT NOT NULL,
  discovery     TEXT NOT NULL,
  activation    TEXT NOT NULL,
  steps         TEXT NOT NULL,
  tools         TEXT NOT NULL DEFAULT '[]',
  tags          TEXT NOT NULL DEFAULT '[]',
  provenance    TEXT NOT NULL,  -- failure, success, file, agent
  origin        TEXT NOT NULL,  -- of which task, calls, file or agent
  confidence    REAL NOT NULL,
  successes     INTEGER NOT NULL DEFAULT 0,
  attempts      INTEGER NOT NULL DEFAULT 0,
  version       INTEGER NOT NULL DEFAULT 1,
  enabled       INTEGER NOT NULL DEFAULT 1,
  superseded_by TEXT NOT NULL DEFAULT '',
  created_at    INTEGER NOT NULL,
  last_used_at  INTEGER,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX procedures_user ON procedures (tenant, user_id);
CREATE TABLE procedure_vectors (
  tenant       TEXT NOT NULL,
  procedure_id TEXT NOT NULL,
  model        INTEGER NOT NULL,
  numbers      BLOB NOT NULL,  -- float32, little-endian, length 1
  PRIMARY KEY (tenant, procedure_id, model)
) WITHOUT ROWID;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('procedure_vectors', 'procedure_vectors', '10000 1000 1 1'),
  ('procedures', 'procedures_user', '10000 1000 100'),
  ('procedures', 'sqlite_autoindex_procedures_1', '10000 1000 1');
ANALYZE sqlite_schema;
