-- Reflections, which change how an agent behaves, and the digests that they are condensed into.
-- Safe while older code still runs: it neither reads nor names these tables and this column.
ALTER TABLE sessions ADD COLUMN reflected_to BIGINT NOT NULL DEFAULT 0;  -- position of the first turn that no reflections were formed from yet
CREATE TABLE reflections (
  tenant       TEXT COLLATE "C" NOT NULL,
  id           TEXT COLLATE "C" NOT NULL,
  user_id      TEXT COLLATE "C" NOT NULL DEFAULT '',  -- with only_session these say whose it is: a session's, a user's, or else an agent's
  agent        TEXT COLLATE "C" NOT NULL DEFAULT '',
  only_session TEXT COLLATE "C" NOT NULL DEFAULT '',
  context      TEXT COLLATE "C" NOT NULL DEFAULT 'global',
  text         TEXT COLLATE "C" NOT NULL,
  quote        TEXT COLLATE "C" NOT NULL DEFAULT '',
  escaped      BIGINT NOT NULL DEFAULT 0,
  quote_start  BIGINT,  -- where the quote stands in the source turn
  quote_end    BIGINT,
  tier         BIGINT NOT NULL,
  salt         BYTEA NOT NULL,
  formed_at    BIGINT NOT NULL,
  absorbed_at  BIGINT,
  digest       TEXT COLLATE "C" NOT NULL DEFAULT '',  -- that absorbed it
  withdrawn_at BIGINT,                       -- when its forming was undone
  PRIMARY KEY (tenant, id)
);
CREATE INDEX reflections_scope ON reflections (tenant, user_id, agent, only_session, context, formed_at);
CREATE INDEX reflections_waiting ON reflections (tenant, user_id, agent, only_session, context, formed_at)
  WHERE absorbed_at IS NULL AND withdrawn_at IS NULL;
CREATE INDEX reflections_digest ON reflections (tenant, digest) WHERE digest <> '';
CREATE TABLE reflection_sources (
  tenant        TEXT COLLATE "C" NOT NULL,
  reflection_id TEXT COLLATE "C" NOT NULL,
  session_id    TEXT COLLATE "C" NOT NULL,
  position      BIGINT NOT NULL,
  PRIMARY KEY (tenant, reflection_id, session_id, position)
);
CREATE INDEX reflection_sources_turn ON reflection_sources (tenant, session_id, position);
CREATE TABLE digests (
  tenant       TEXT COLLATE "C" NOT NULL,
  id           TEXT COLLATE "C" NOT NULL,
  user_id      TEXT COLLATE "C" NOT NULL DEFAULT '',
  agent        TEXT COLLATE "C" NOT NULL DEFAULT '',
  only_session TEXT COLLATE "C" NOT NULL DEFAULT '',
  context      TEXT COLLATE "C" NOT NULL DEFAULT 'global',
  kind         TEXT COLLATE "C" NOT NULL,  -- agent, user, session, profile
  version      BIGINT NOT NULL,   -- from 1 for each scope and kind; none is ever used again
  text         TEXT COLLATE "C" NOT NULL,
  escaped      BIGINT NOT NULL DEFAULT 0,
  word_limit   BIGINT NOT NULL,
  tier         BIGINT NOT NULL,
  model        TEXT COLLATE "C" NOT NULL,
  dropped      TEXT COLLATE "C" NOT NULL DEFAULT '[]',  -- names, figures and addresses of the version before that no reflection took back
  salt         BYTEA NOT NULL,
  made_at      BIGINT NOT NULL,
  withdrawn_at BIGINT,
  PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX digests_version ON digests (tenant, user_id, agent, only_session, context, kind, version);
CREATE TABLE digest_sources (
  tenant    TEXT COLLATE "C" NOT NULL,
  digest_id TEXT COLLATE "C" NOT NULL,
  source    TEXT COLLATE "C" NOT NULL,  -- a reflection, of a profile an item
  PRIMARY KEY (tenant, digest_id, source)
);
CREATE INDEX digest_sources_source ON digest_sources (tenant, source);
