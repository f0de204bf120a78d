-- Items: what is known, with lineage, two clocks and links.
CREATE TABLE items (
  tenant        TEXT NOT NULL,
  id            TEXT NOT NULL,
  user_id       TEXT NOT NULL DEFAULT '',
  agent         TEXT NOT NULL DEFAULT '',
  only_session  TEXT NOT NULL DEFAULT '',
  context       TEXT NOT NULL DEFAULT 'global',
  category      TEXT NOT NULL,
  domain        TEXT NOT NULL DEFAULT '',
  text          TEXT NOT NULL,
  escaped       INTEGER NOT NULL DEFAULT 0,
  tags          TEXT NOT NULL DEFAULT '[]',
  metadata      TEXT NOT NULL DEFAULT '{}',
  source        TEXT NOT NULL,
  tier          INTEGER NOT NULL,
  origin        TEXT NOT NULL DEFAULT '',
  confidence    REAL NOT NULL,
  sensitive     INTEGER NOT NULL DEFAULT 0,
  pinned        INTEGER NOT NULL DEFAULT 0,
  muted         INTEGER NOT NULL DEFAULT 0,
  due_at        INTEGER,
  reminded_at   INTEGER,
  expires_at    INTEGER,
  valid_from    INTEGER NOT NULL,
  valid_until   INTEGER,
  closed_at     INTEGER,
  superseded_at INTEGER,
  superseded_by TEXT NOT NULL DEFAULT '',
  supersedes    TEXT NOT NULL DEFAULT '',
  quote         TEXT NOT NULL DEFAULT '',
  masks         TEXT NOT NULL DEFAULT '[]',
  salt          BLOB NOT NULL,  -- keys this item's hashes in the ledger; gone with the item
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL,
  recorded_at   INTEGER NOT NULL,
  uses          INTEGER NOT NULL DEFAULT 0,
  last_used_at  INTEGER,
  helpful       INTEGER NOT NULL DEFAULT 0,
  harmful       INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, id),
  CHECK (superseded_by <> id)
);
CREATE INDEX items_user ON items (tenant, user_id);
CREATE INDEX items_due ON items (tenant, user_id, due_at) WHERE due_at IS NOT NULL AND superseded_at IS NULL;
CREATE INDEX items_origin ON items (tenant, origin) WHERE origin <> '';
CREATE INDEX items_supersedes ON items (tenant, supersedes) WHERE supersedes <> '';
CREATE TABLE item_sources (
  tenant     TEXT NOT NULL,
  item_id    TEXT NOT NULL,
  session_id TEXT NOT NULL,
  position   INTEGER NOT NULL,
  PRIMARY KEY (tenant, item_id, session_id, position)
) WITHOUT ROWID;
CREATE INDEX item_sources_turn ON item_sources (tenant, session_id, position);
CREATE TABLE entities (
  tenant      TEXT NOT NULL,
  id          TEXT NOT NULL,
  user_id     TEXT NOT NULL DEFAULT '',
  agent       TEXT NOT NULL DEFAULT '',
  name        TEXT NOT NULL,  -- type:label
  created_at  INTEGER NOT NULL,
  PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX entities_name ON entities (tenant, user_id, agent, name);
CREATE TABLE entity_aliases (
  tenant    TEXT NOT NULL,
  entity_id TEXT NOT NULL,
  folded    TEXT NOT NULL,  -- what a mention is compared with
  alias     TEXT NOT NULL,
  PRIMARY KEY (tenant, entity_id, folded)
) WITHOUT ROWID;
CREATE INDEX entity_aliases_folded ON entity_aliases (tenant, folded);
CREATE TABLE item_entities (
  tenant    TEXT NOT NULL,
  item_id   TEXT NOT NULL,
  entity_id TEXT NOT NULL,
  alias     TEXT NOT NULL,  -- by which name it was linked, so that a split can part them again
  PRIMARY KEY (tenant, item_id, entity_id)
) WITHOUT ROWID;
CREATE INDEX item_entities_entity ON item_entities (tenant, entity_id);
