-- The log: sessions and their turns. Everything else is derived from it.
-- An empty text stands for "no agent, user, session, key": so keys stay plain equalities.
CREATE TABLE meta (
  key   TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
);
CREATE TABLE sessions (
  tenant        TEXT NOT NULL,
  id            TEXT NOT NULL,
  user_id       TEXT NOT NULL DEFAULT '',  -- whose it is; empty once a second user takes part
  agent         TEXT NOT NULL DEFAULT '',
  context       TEXT NOT NULL DEFAULT 'global',
  shared        INTEGER NOT NULL DEFAULT 0,  -- more than one user takes part
  private       INTEGER NOT NULL DEFAULT 0,
  title         TEXT NOT NULL DEFAULT '',
  channel       TEXT NOT NULL DEFAULT '',
  participants  TEXT NOT NULL DEFAULT '[]',
  metadata      TEXT NOT NULL DEFAULT '{}',
  origin        TEXT NOT NULL DEFAULT '',
  started_at    INTEGER,
  last_at       INTEGER,
  next_position INTEGER NOT NULL DEFAULT 0,
  recorded_at   INTEGER NOT NULL,
  hidden_at     INTEGER,  -- undone: out of recall, still in the log
  PRIMARY KEY (tenant, id)
);
CREATE INDEX sessions_user ON sessions (tenant, user_id, last_at);
CREATE TABLE turns (
  tenant      TEXT NOT NULL,
  session_id  TEXT NOT NULL,
  position    INTEGER NOT NULL,
  user_id     TEXT NOT NULL DEFAULT '',  -- whose partition; empty in shared sessions
  agent       TEXT NOT NULL DEFAULT '',
  shared      INTEGER NOT NULL DEFAULT 0,  -- seen only from within its session
  author      TEXT NOT NULL DEFAULT '',  -- canonical user who spoke
  role        TEXT NOT NULL,
  speaker     TEXT NOT NULL,
  text        TEXT NOT NULL,
  escaped     INTEGER NOT NULL DEFAULT 0,  -- text is a JSON string, for NUL and lone surrogates
  at          INTEGER NOT NULL,
  offset_s    INTEGER NOT NULL DEFAULT 0,  -- of the speaker's zone
  recorded_at INTEGER NOT NULL,
  key         TEXT NOT NULL DEFAULT '',
  metadata    TEXT NOT NULL DEFAULT '{}',
  masks       TEXT NOT NULL DEFAULT '[]',
  origin      TEXT NOT NULL DEFAULT '',
  hidden_at   INTEGER,
  PRIMARY KEY (tenant, session_id, position)
);
CREATE UNIQUE INDEX turns_key ON turns (tenant, session_id, key) WHERE key <> '';
CREATE INDEX turns_origin ON turns (tenant, origin) WHERE origin <> '';
