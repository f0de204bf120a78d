-- Work to be done later; a job is enqueued in the transaction that makes it necessary.
CREATE TABLE jobs (
  tenant      TEXT COLLATE "C" NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  kind        TEXT COLLATE "C" NOT NULL,
  user_id     TEXT COLLATE "C" NOT NULL DEFAULT '',
  args        TEXT COLLATE "C" NOT NULL DEFAULT '{}',  -- ids only
  state       TEXT COLLATE "C" NOT NULL DEFAULT 'ready',
  run_at      BIGINT NOT NULL,
  lease_until BIGINT,
  attempts    BIGINT NOT NULL DEFAULT 0,
  error       TEXT COLLATE "C" NOT NULL DEFAULT '',
  wanted      BIGINT NOT NULL DEFAULT 1,  -- how often it was asked for; moves even while it runs
  PRIMARY KEY (tenant, id)
);
CREATE INDEX jobs_ready ON jobs (state, run_at);
