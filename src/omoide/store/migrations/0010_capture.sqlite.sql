-- Capture: how far each session was learnt from, what waits for a person's word, and what items rest on.
-- Safe while older code still runs: it neither reads nor names these columns, and what it adds has their defaults.
ALTER TABLE sessions ADD COLUMN extracted_to INTEGER NOT NULL DEFAULT 0;  -- position of the first turn that nothing was learnt from yet
ALTER TABLE sessions ADD COLUMN waiting INTEGER NOT NULL DEFAULT 0;       -- turns since then
ALTER TABLE sessions ADD COLUMN weight INTEGER NOT NULL DEFAULT 0;        -- their characters, weighted by role, in tenths
ALTER TABLE items ADD COLUMN quote_start INTEGER;  -- where the quote stands in the first source turn
ALTER TABLE items ADD COLUMN quote_end INTEGER;
ALTER TABLE items ADD COLUMN doubted_at INTEGER;   -- since when something it rests on no longer holds
CREATE INDEX items_doubted ON items (tenant, user_id, doubted_at) WHERE doubted_at IS NOT NULL;
CREATE TABLE item_bases (
  tenant  TEXT NOT NULL,
  item_id TEXT NOT NULL,
  base_id TEXT NOT NULL,  -- the item that it was derived from or depends on
  PRIMARY KEY (tenant, item_id, base_id)
) WITHOUT ROWID;
CREATE INDEX item_bases_base ON item_bases (tenant, base_id);
CREATE TABLE proposals (
  tenant     TEXT NOT NULL,
  id         TEXT NOT NULL,
  user_id    TEXT NOT NULL DEFAULT '',
  agent      TEXT NOT NULL DEFAULT '',
  session_id TEXT NOT NULL DEFAULT '',  -- where it was said
  context    TEXT NOT NULL DEFAULT 'global',
  operation  TEXT NOT NULL,             -- add, supersede, retract
  target     TEXT NOT NULL DEFAULT '',  -- the item it would close
  item       TEXT NOT NULL DEFAULT '',  -- JSON of the item as it would be
  flags      TEXT NOT NULL DEFAULT '[]',
  origin     TEXT NOT NULL DEFAULT '',
  made_at    INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX proposals_user ON proposals (tenant, user_id, made_at);
CREATE INDEX proposals_session ON proposals (tenant, session_id);
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('item_bases', 'item_bases', '1000000 100000 10 1'),
  ('item_bases', 'item_bases_base', '1000000 100000 10'),
  ('items', 'items_doubted', '1000000 100000 1000 10'),
  ('proposals', 'proposals_session', '1000000 100000 10'),
  ('proposals', 'proposals_user', '1000000 100000 1000 10'),
  ('proposals', 'sqlite_autoindex_proposals_1', '1000000 100000 1');
ANALYZE sqlite_schema;
