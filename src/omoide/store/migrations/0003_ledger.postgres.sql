-- The ledger: what happened to which record, by whom; hash-chained per tenant, append-only.
CREATE TABLE ledgers (
  tenant TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  seq    BIGINT NOT NULL,
  hash   BYTEA NOT NULL,
  key    BYTEA NOT NULL  -- keys the chain
);
CREATE TABLE changes (
  tenant     TEXT COLLATE "C" NOT NULL,
  seq        BIGINT NOT NULL,
  id         TEXT COLLATE "C" NOT NULL,
  at         BIGINT NOT NULL,
  action     TEXT COLLATE "C" NOT NULL,
  kind       TEXT COLLATE "C" NOT NULL,
  record     TEXT COLLATE "C" NOT NULL,
  user_id    TEXT COLLATE "C" NOT NULL DEFAULT '',
  session_id TEXT COLLATE "C" NOT NULL DEFAULT '',
  actor      TEXT COLLATE "C" NOT NULL,
  cause      TEXT COLLATE "C" NOT NULL DEFAULT '',
  content    BYTEA NOT NULL,  -- keyed hash of the record after the change; empty: none
  hash       BYTEA NOT NULL,
  PRIMARY KEY (tenant, seq)
);
CREATE UNIQUE INDEX changes_id ON changes (tenant, id);
CREATE INDEX changes_record ON changes (tenant, record);
CREATE INDEX changes_cause ON changes (tenant, cause) WHERE cause <> '';
CREATE FUNCTION keep_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the ledger is append-only';
END $$;
CREATE TRIGGER changes_keep BEFORE UPDATE OR DELETE ON changes FOR EACH ROW EXECUTE FUNCTION keep_changes();
-- What a change replaced, so that it can be undone. Text may be here, so forget erases it.
CREATE TABLE revisions (
  tenant TEXT COLLATE "C" NOT NULL,
  seq    BIGINT NOT NULL,
  record TEXT COLLATE "C" NOT NULL,
  reason TEXT COLLATE "C" NOT NULL DEFAULT '',
  before TEXT COLLATE "C" NOT NULL DEFAULT '',  -- JSON of the columns before the change; empty: there was no record
  PRIMARY KEY (tenant, seq)
);
CREATE INDEX revisions_record ON revisions (tenant, record);
