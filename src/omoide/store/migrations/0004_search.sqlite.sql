-- The search index: one document per item and per part of a turn, with the columns a search filters by.
-- A partition is one tenant and user; its counter moves with every change to its documents or vectors,
-- so that copies held in memory by any process see what they lack.
CREATE TABLE partitions (
  tenant  TEXT NOT NULL,
  user_id TEXT NOT NULL,
  seq     INTEGER NOT NULL,
  PRIMARY KEY (tenant, user_id)
) WITHOUT ROWID;
CREATE TABLE docs (
  doc           INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again after an erasure
  tenant        TEXT NOT NULL,
  user_id       TEXT NOT NULL,
  seq           INTEGER NOT NULL,
  kind          TEXT NOT NULL,  -- item or turn
  ref           TEXT NOT NULL,
  part          INTEGER NOT NULL DEFAULT 0,
  agent         TEXT NOT NULL DEFAULT '',
  only_session  TEXT NOT NULL DEFAULT '',
  session_id    TEXT NOT NULL DEFAULT '',
  position      INTEGER NOT NULL DEFAULT 0,
  category      TEXT NOT NULL DEFAULT '',
  context       TEXT NOT NULL DEFAULT 'global',
  sensitive     INTEGER NOT NULL DEFAULT 0,
  muted         INTEGER NOT NULL DEFAULT 0,
  at            INTEGER NOT NULL,
  recorded_at   INTEGER NOT NULL,
  valid_from    INTEGER NOT NULL,
  valid_until   INTEGER,  -- NULL here and below: never
  closed_at     INTEGER,
  superseded_at INTEGER,
  expires_at    INTEGER,
  own           TEXT NOT NULL,  -- its own words, as the tokeniser gives them
  around        TEXT NOT NULL DEFAULT ''  -- speaker and date; neighbouring turns are added when searching
);
CREATE INDEX docs_seq ON docs (tenant, user_id, seq);
CREATE INDEX docs_ref ON docs (tenant, ref);
CREATE INDEX docs_at ON docs (tenant, user_id, at);
CREATE TABLE erased (
  tenant  TEXT NOT NULL,
  user_id TEXT NOT NULL,
  seq     INTEGER NOT NULL,
  doc     INTEGER NOT NULL,
  PRIMARY KEY (tenant, user_id, seq, doc)
) WITHOUT ROWID;
CREATE TABLE embedders (
  model     INTEGER PRIMARY KEY AUTOINCREMENT,
  id        TEXT NOT NULL UNIQUE,
  spec      TEXT NOT NULL,  -- what loads it again
  dimension INTEGER NOT NULL,
  state     TEXT NOT NULL  -- active: serves; building: not yet complete; retired
);
CREATE TABLE vectors (
  tenant  TEXT NOT NULL,
  user_id TEXT NOT NULL,
  model   INTEGER NOT NULL,
  seq     INTEGER NOT NULL,
  doc     INTEGER NOT NULL,
  vector  BLOB NOT NULL  -- float32, little-endian, length 1
);
CREATE UNIQUE INDEX vectors_doc ON vectors (tenant, doc, model);
CREATE INDEX vectors_seq ON vectors (tenant, user_id, model, seq);
