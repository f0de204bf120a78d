-- Reflections, which change how an agent behaves, and the digests that they are condensed into.
-- Safe while older code still runs: it neither reads nor names these tables and this column.
ALTER TABLE sessions ADD COLUMN reflected_to INTEGER NOT NULL DEFAULT 0;  -- position of the first turn that no reflections were formed from yet
CREATE TABLE reflections (
  tenant       TEXT NOT NULL,
  id           TEXT NOT NULL,
  user_id      TEXT NOT NULL DEFAULT '',  -- with only_session these say whose it is: a session's, a user's, or else an agent's
  agent        TEXT NOT NULL DEFAULT '',
  only_session TEXT NOT NULL DEFAULT '',
  context      TEXT NOT NULL DEFAULT 'global',
  text         TEXT NOT NULL,
  quote        TEXT NOT NULL DEFAULT '',
  escaped      INTEGER NOT NULL DEFAULT 0,
  quote_start  INTEGER,  -- where the quote stands in the source turn
  quote_end    INTEGER,
  tier         INTEGER NOT NULL,
  salt         BLOB NOT NULL,
  formed_at    INTEGER NOT NULL,
  absorbed_at  INTEGER,
  digest       TEXT NOT NULL DEFAULT '',  -- that absorbed it
  withdrawn_at INTEGER,                       -- when its forming was undone
  PRIMARY KEY (tenant, id)
);
CREATE INDEX reflections_scope ON reflections (tenant, user_id, agent, only_session, context, formed_at);
CREATE INDEX reflections_waiting ON reflections (tenant, user_id, agent, only_session, context, formed_at)
  WHERE absorbed_at IS NULL AND withdrawn_at IS NULL;
CREATE INDEX reflections_digest ON reflections (tenant, digest) WHERE digest <> '';
CREATE TABLE reflection_sources (
  tenant        TEXT NOT NULL,
  reflection_id TEXT NOT NULL,
  session_id    TEXT NOT NULL,
  position      INTEGER NOT NULL,
  PRIMARY KEY (tenant, reflection_id, session_id, position)
) WITHOUT ROWID;
CREATE INDEX reflection_sources_turn ON reflection_sources (tenant, session_id, position);
CREATE TABLE digests (
  tenant       TEXT NOT NULL,
  id           TEXT NOT NULL,
  user_id      TEXT NOT NULL DEFAULT '',
  agent        TEXT NOT NULL DEFAULT '',
  only_session TEXT NOT NULL DEFAULT '',
  context      TEXT NOT NULL DEFAULT 'global',
  kind         TEXT NOT NULL,  -- agent, user, session, profile
  version      INTEGER NOT NULL,   -- from 1 for each scope and kind; none is ever used again
  text         TEXT NOT NULL,
  escaped      INTEGER NOT NULL DEFAULT 0,
  word_limit   INTEGER NOT NULL,
  tier         INTEGER NOT NULL,
  model        TEXT NOT NULL,
  dropped      TEXT NOT NULL DEFAULT '[]',  -- names, figures and addresses of the version before that no reflection took back
  salt         BLOB NOT NULL,
  made_at      INTEGER NOT NULL,
  withdrawn_at INTEGER,
  PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX digests_version ON digests (tenant, user_id, agent, only_session, context, kind, version);
CREATE TABLE digest_sources (
  tenant    TEXT NOT NULL,
  digest_id TEXT NOT NULL,
  source    TEXT NOT NULL,  -- a reflection, of a profile an item
  PRIMARY KEY (tenant, digest_id, source)
) WITHOUT ROWID;
CREATE INDEX digest_sources_source ON digest_sources (tenant, source);
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('digest_sources', 'digest_sources', '1000000 100000 10 1'),
  ('digest_sources', 'digest_sources_source', '1000000 100000 10'),
  ('digests', 'digests_version', '1000000 100000 1000 1000 100 100 10 1'),
  ('digests', 'sqlite_autoindex_digests_1', '1000000 100000 1'),
  ('reflection_sources', 'reflection_sources', '1000000 100000 10 10 1'),
  ('reflection_sources', 'reflection_sources_turn', '1000000 100000 100 10'),
  ('reflections', 'reflections_digest', '1000000 100000 10'),
  ('reflections', 'reflections_scope', '1000000 100000 1000 1000 100 100 10'),
  ('reflections', 'reflections_waiting', '10000 1000 100 100 10 10 1'),
  ('reflections', 'sqlite_autoindex_reflections_1', '1000000 100000 1');
ANALYZE sqlite_schema;
