-- The ledger: what happened to which record, by whom; hash-chained per tenant, append-only.
CREATE TABLE ledgers (
  tenant TEXT NOT NULL PRIMARY KEY,
  seq    INTEGER NOT NULL,
  hash   BLOB NOT NULL,
  key    BLOB NOT NULL  -- keys the chain
);
CREATE TABLE changes (
  tenant     TEXT NOT NULL,
  seq        INTEGER NOT NULL,
  id         TEXT NOT NULL,
  at         INTEGER NOT NULL,
  action     TEXT NOT NULL,
  kind       TEXT NOT NULL,
  record     TEXT NOT NULL,
  user_id    TEXT NOT NULL DEFAULT '',
  session_id TEXT NOT NULL DEFAULT '',
  actor      TEXT NOT NULL,
  cause      TEXT NOT NULL DEFAULT '',
  content    BLOB NOT NULL,  -- keyed hash of the record after the change; empty: none
  hash       BLOB NOT NULL,
  PRIMARY KEY (tenant, seq)
) WITHOUT ROWID;
CREATE UNIQUE INDEX changes_id ON changes (tenant, id);
CREATE INDEX changes_record ON changes (tenant, record);
CREATE INDEX changes_cause ON changes (tenant, cause) WHERE cause <> '';
CREATE TRIGGER changes_keep BEFORE UPDATE ON changes BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER changes_stay BEFORE DELETE ON changes BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
-- What a change replaced, so that it can be undone. Text may be here, so forget erases it.
CREATE TABLE revisions (
  tenant TEXT NOT NULL,
  seq    INTEGER NOT NULL,
  record TEXT NOT NULL,
  reason TEXT NOT NULL DEFAULT '',
  before TEXT NOT NULL DEFAULT '',  -- JSON of the columns before the change; empty: there was no record
  PRIMARY KEY (tenant, seq)
) WITHOUT ROWID;
CREATE INDEX revisions_record ON revisions (tenant, record);
