-- The search index: one document per item and per part of a turn, with the columns a search filters by.
-- A partition is one tenant and user; its counter moves with every change to its documents or vectors,
-- so that copies held in memory by any process see what they lack.
CREATE EXTENSION IF NOT EXISTS vector;
CREATE TABLE partitions (
  tenant  TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL,
  seq     BIGINT NOT NULL,
  PRIMARY KEY (tenant, user_id)
);
CREATE TABLE docs (
  doc           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,  -- never used again after an erasure
  tenant        TEXT COLLATE "C" NOT NULL,
  user_id       TEXT COLLATE "C" NOT NULL,
  seq           BIGINT NOT NULL,
  kind          TEXT COLLATE "C" NOT NULL,  -- item or turn
  ref           TEXT COLLATE "C" NOT NULL,
  part          BIGINT NOT NULL DEFAULT 0,
  agent         TEXT COLLATE "C" NOT NULL DEFAULT '',
  only_session  TEXT COLLATE "C" NOT NULL DEFAULT '',
  session_id    TEXT COLLATE "C" NOT NULL DEFAULT '',
  position      BIGINT NOT NULL DEFAULT 0,
  category      TEXT COLLATE "C" NOT NULL DEFAULT '',
  context       TEXT COLLATE "C" NOT NULL DEFAULT 'global',
  sensitive     BIGINT NOT NULL DEFAULT 0,
  muted         BIGINT NOT NULL DEFAULT 0,
  at            BIGINT NOT NULL,
  recorded_at   BIGINT NOT NULL,
  valid_from    BIGINT NOT NULL,
  valid_until   BIGINT,  -- NULL here and below: never
  closed_at     BIGINT,
  superseded_at BIGINT,
  expires_at    BIGINT,
  own           TEXT COLLATE "C" NOT NULL,  -- its own words, as the tokeniser gives them
  around        TEXT COLLATE "C" NOT NULL DEFAULT ''  -- speaker and date; neighbouring turns are added when searching
);
CREATE INDEX docs_seq ON docs (tenant, user_id, seq);
CREATE INDEX docs_ref ON docs (tenant, ref);
CREATE INDEX docs_at ON docs (tenant, user_id, at);
CREATE TABLE erased (
  tenant  TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL,
  seq     BIGINT NOT NULL,
  doc     BIGINT NOT NULL,
  PRIMARY KEY (tenant, user_id, seq, doc)
);
CREATE TABLE embedders (
  model     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id        TEXT COLLATE "C" NOT NULL UNIQUE,
  spec      TEXT COLLATE "C" NOT NULL,  -- what loads it again
  dimension BIGINT NOT NULL,
  state     TEXT COLLATE "C" NOT NULL  -- active: serves; building: not yet complete; retired
);
CREATE TABLE vectors (
  tenant  TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL,
  model   BIGINT NOT NULL,
  seq     BIGINT NOT NULL,
  doc     BIGINT NOT NULL,
  vector  vector NOT NULL  -- pgvector, length 1
);
CREATE UNIQUE INDEX vectors_doc ON vectors (tenant, doc, model);
CREATE INDEX vectors_seq ON vectors (tenant, user_id, model, seq);
