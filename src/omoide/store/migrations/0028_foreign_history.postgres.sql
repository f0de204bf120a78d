-- Ledgers of other stores that archives brought along, as history that is not of this store; and a note of each archive that was written,
-- so that a receipt of forget names where copies may be.
-- Safe while older code still runs: it knows nothing of the tables.
CREATE TABLE foreign_ledgers (
  tenant  TEXT COLLATE "C" NOT NULL,
  id      TEXT COLLATE "C" NOT NULL,  -- of the loading
  made_at BIGINT NOT NULL,  -- when the archive was written
  head    TEXT COLLATE "C" NOT NULL DEFAULT '',  -- the hash at the end of the ledger there, by then
  entries BIGINT NOT NULL,
  hash    BYTEA NOT NULL,  -- over the entries that are kept here
  PRIMARY KEY (tenant, id)
);
CREATE TABLE foreign_changes (
  tenant     TEXT COLLATE "C" NOT NULL,
  ledger     TEXT COLLATE "C" NOT NULL,
  seq        BIGINT NOT NULL,  -- in the archive
  id         TEXT COLLATE "C" NOT NULL,
  at         BIGINT NOT NULL,
  action     TEXT COLLATE "C" NOT NULL,
  kind       TEXT COLLATE "C" NOT NULL,
  record     TEXT COLLATE "C" NOT NULL,
  user_id    TEXT COLLATE "C" NOT NULL DEFAULT '',
  session_id TEXT COLLATE "C" NOT NULL DEFAULT '',
  actor      TEXT COLLATE "C" NOT NULL,
  cause      TEXT COLLATE "C" NOT NULL DEFAULT '',
  content    BYTEA NOT NULL,
  told       BYTEA NOT NULL,  -- the hash of the entry in its own chain
  hash       BYTEA NOT NULL,  -- over this entry and the one before it here
  PRIMARY KEY (tenant, ledger, seq)
);
CREATE UNIQUE INDEX foreign_changes_id ON foreign_changes (tenant, id);
CREATE INDEX foreign_changes_record ON foreign_changes (tenant, record);
CREATE INDEX foreign_changes_at ON foreign_changes (tenant, user_id, at);
CREATE TRIGGER foreign_changes_keep BEFORE UPDATE OR DELETE ON foreign_changes FOR EACH ROW EXECUTE FUNCTION keep_changes();
CREATE TABLE exports (
  tenant     TEXT COLLATE "C" NOT NULL,
  id         TEXT COLLATE "C" NOT NULL,
  made_at    BIGINT NOT NULL,
  user_id    TEXT COLLATE "C" NOT NULL DEFAULT '',
  agent      TEXT COLLATE "C" NOT NULL DEFAULT '',
  everything BIGINT NOT NULL DEFAULT 0,  -- 1: of the whole tenant
  name       TEXT COLLATE "C" NOT NULL DEFAULT '',  -- of the file
  head       TEXT COLLATE "C" NOT NULL DEFAULT '',  -- the hash at the end of the ledger by then
  PRIMARY KEY (tenant, id)
);
