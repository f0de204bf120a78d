-- Capture: how far each session was learnt from, what waits for a person's word, and what items rest on.
-- Safe while older code still runs: it neither reads nor names these columns, and what it adds has their defaults.
ALTER TABLE sessions ADD COLUMN extracted_to BIGINT NOT NULL DEFAULT 0;  -- position of the first turn that nothing was learnt from yet
ALTER TABLE sessions ADD COLUMN waiting BIGINT NOT NULL DEFAULT 0;       -- turns since then
ALTER TABLE sessions ADD COLUMN weight BIGINT NOT NULL DEFAULT 0;        -- their characters, weighted by role, in tenths
ALTER TABLE items ADD COLUMN quote_start BIGINT;  -- where the quote stands in the first source turn
ALTER TABLE items ADD COLUMN quote_end BIGINT;
ALTER TABLE items ADD COLUMN doubted_at BIGINT;   -- since when something it rests on no longer holds
CREATE INDEX items_doubted ON items (tenant, user_id, doubted_at) WHERE doubted_at IS NOT NULL;
CREATE TABLE item_bases (
  tenant  TEXT COLLATE "C" NOT NULL,
  item_id TEXT COLLATE "C" NOT NULL,
  base_id TEXT COLLATE "C" NOT NULL,  -- the item that it was derived from or depends on
  PRIMARY KEY (tenant, item_id, base_id)
);
CREATE INDEX item_bases_base ON item_bases (tenant, base_id);
CREATE TABLE proposals (
  tenant     TEXT COLLATE "C" NOT NULL,
  id         TEXT COLLATE "C" NOT NULL,
  user_id    TEXT COLLATE "C" NOT NULL DEFAULT '',
  agent      TEXT COLLATE "C" NOT NULL DEFAULT '',
  session_id TEXT COLLATE "C" NOT NULL DEFAULT '',  -- where it was said
  context    TEXT COLLATE "C" NOT NULL DEFAULT 'global',
  operation  TEXT COLLATE "C" NOT NULL,             -- add, supersede, retract
  target     TEXT COLLATE "C" NOT NULL DEFAULT '',  -- the item it would close
  item       TEXT COLLATE "C" NOT NULL DEFAULT '',  -- JSON of the item as it would be
  flags      TEXT COLLATE "C" NOT NULL DEFAULT '[]',
  origin     TEXT COLLATE "C" NOT NULL DEFAULT '',
  made_at    BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX proposals_user ON proposals (tenant, user_id, made_at);
CREATE INDEX proposals_session ON proposals (tenant, session_id);
