-- Procedures: how-tos learnt from failures and successes, found by vectors of their own. Texts are JSON, so that any character fits.
-- Safe while older code still runs: it knows nothing of the tables.
CREATE TABLE procedures (
  tenant        TEXT COLLATE "C" NOT NULL,
  id            TEXT COLLATE "C" NOT NULL,
  user_id       TEXT COLLATE "C" NOT NULL DEFAULT '',
  agent         TEXT COLLATE "C" NOT NULL DEFAULT '',
  name          TEXT COLLATE "C" NOT NULL,
  when_to_use   TEXT COLLATE "C" NOT NULL,
  discovery     TEXT COLLATE "C" NOT NULL,
  activation    TEXT COLLATE "C" NOT NULL,
  steps         TEXT COLLATE "C" NOT NULL,
  tools         TEXT COLLATE "C" NOT NULL DEFAULT '[]',
  tags          TEXT COLLATE "C" NOT NULL DEFAULT '[]',
  provenance    TEXT COLLATE "C" NOT NULL,  -- failure, success, file, agent
  origin        TEXT COLLATE "C" NOT NULL,  -- of which task, calls, file or agent
  confidence    DOUBLE PRECISION NOT NULL,
  successes     BIGINT NOT NULL DEFAULT 0,
  attempts      BIGINT NOT NULL DEFAULT 0,
  version       BIGINT NOT NULL DEFAULT 1,
  enabled       BIGINT NOT NULL DEFAULT 1,
  superseded_by TEXT COLLATE "C" NOT NULL DEFAULT '',
  created_at    BIGINT NOT NULL,
  last_used_at  BIGINT,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX procedures_user ON procedures (tenant, user_id);
CREATE TABLE procedure_vectors (
  tenant       TEXT COLLATE "C" NOT NULL,
  procedure_id TEXT COLLATE "C" NOT NULL,
  model        BIGINT NOT NULL,
  numbers      BYTEA NOT NULL,  -- float32, little-endian, length 1
  PRIMARY KEY (tenant, procedure_id, model)
);
