-- Work to be done later; a job is enqueued in the transaction that makes it necessary.
CREATE TABLE jobs (
  tenant      TEXT NOT NULL,
  id          TEXT NOT NULL,
  kind        TEXT NOT NULL,
  user_id     TEXT NOT NULL DEFAULT '',
  args        TEXT NOT NULL DEFAULT '{}',  -- ids only
  state       TEXT NOT NULL DEFAULT 'ready',
  run_at      INTEGER NOT NULL,
  lease_until INTEGER,
  attempts    INTEGER NOT NULL DEFAULT 0,
  error       TEXT NOT NULL DEFAULT '',
  wanted      INTEGER NOT NULL DEFAULT 1,  -- how often it was asked for; moves even while it runs
  PRIMARY KEY (tenant, id)
);
CREATE INDEX jobs_ready ON jobs (state, run_at);
