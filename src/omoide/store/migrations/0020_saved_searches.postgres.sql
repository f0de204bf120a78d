-- Searches that are kept by name, to be asked again.
-- Safe while older code still runs: it knows nothing of the table.
CREATE TABLE saved_searches (
  tenant   TEXT COLLATE "C" NOT NULL,
  id       TEXT COLLATE "C" NOT NULL,
  user_id  TEXT COLLATE "C" NOT NULL DEFAULT '',
  agent    TEXT COLLATE "C" NOT NULL DEFAULT '',
  context  TEXT COLLATE "C" NOT NULL DEFAULT 'global',
  name     TEXT COLLATE "C" NOT NULL,
  question TEXT COLLATE "C" NOT NULL,  -- JSON, so that any character fits
  filters  TEXT COLLATE "C" NOT NULL DEFAULT '{}',
  saved_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX saved_searches_user ON saved_searches (tenant, user_id);
