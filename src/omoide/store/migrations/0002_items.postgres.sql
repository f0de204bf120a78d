-- Items: what is known, with lineage, two clocks and links.
CREATE TABLE items (
  tenant        TEXT COLLATE "C" NOT NULL,
  id            TEXT COLLATE "C" NOT NULL,
  user_id       TEXT COLLATE "C" NOT NULL DEFAULT '',
  agent         TEXT COLLATE "C" NOT NULL DEFAULT '',
  only_session  TEXT COLLATE "C" NOT NULL DEFAULT '',
  context       TEXT COLLATE "C" NOT NULL DEFAULT 'global',
  category      TEXT COLLATE "C" NOT NULL,
  domain        TEXT COLLATE "C" NOT NULL DEFAULT '',
  text          TEXT COLLATE "C" NOT NULL,
  escaped       BIGINT NOT NULL DEFAULT 0,
  tags          TEXT COLLATE "C" NOT NULL DEFAULT '[]',
  metadata      TEXT COLLATE "C" NOT NULL DEFAULT '{}',
  source        TEXT COLLATE "C" NOT NULL,
  tier          BIGINT NOT NULL,
  origin        TEXT COLLATE "C" NOT NULL DEFAULT '',
  confidence    DOUBLE PRECISION NOT NULL,
  sensitive     BIGINT NOT NULL DEFAULT 0,
  pinned        BIGINT NOT NULL DEFAULT 0,
  muted         BIGINT NOT NULL DEFAULT 0,
  due_at        BIGINT,
  reminded_at   BIGINT,
  expires_at    BIGINT,
  valid_from    BIGINT NOT NULL,
  valid_until   BIGINT,
  closed_at     BIGINT,
  superseded_at BIGINT,
  superseded_by TEXT COLLATE "C" NOT NULL DEFAULT '',
  supersedes    TEXT COLLATE "C" NOT NULL DEFAULT '',
  quote         TEXT COLLATE "C" NOT NULL DEFAULT '',
  masks         TEXT COLLATE "C" NOT NULL DEFAULT '[]',
  salt          BYTEA NOT NULL,  -- keys this item's hashes in the ledger; gone with the item
  created_at    BIGINT NOT NULL,
  updated_at    BIGINT NOT NULL,
  recorded_at   BIGINT NOT NULL,
  uses          BIGINT NOT NULL DEFAULT 0,
  last_used_at  BIGINT,
  helpful       BIGINT NOT NULL DEFAULT 0,
  harmful       BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, id),
  CHECK (superseded_by <> id)
);
CREATE INDEX items_user ON items (tenant, user_id);
CREATE INDEX items_due ON items (tenant, user_id, due_at) WHERE due_at IS NOT NULL AND superseded_at IS NULL;
CREATE INDEX items_origin ON items (tenant, origin) WHERE origin <> '';
CREATE INDEX items_supersedes ON items (tenant, supersedes) WHERE supersedes <> '';
CREATE TABLE item_sources (
  tenant     TEXT COLLATE "C" NOT NULL,
  item_id    TEXT COLLATE "C" NOT NULL,
  session_id TEXT COLLATE "C" NOT NULL,
  position   BIGINT NOT NULL,
  PRIMARY KEY (tenant, item_id, session_id, position)
);
CREATE INDEX item_sources_turn ON item_sources (tenant, session_id, position);
CREATE TABLE entities (
  tenant      TEXT COLLATE "C" NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  user_id     TEXT COLLATE "C" NOT NULL DEFAULT '',
  agent       TEXT COLLATE "C" NOT NULL DEFAULT '',
  name        TEXT COLLATE "C" NOT NULL,  -- type:label
  created_at  BIGINT NOT NULL,
  PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX entities_name ON entities (tenant, user_id, agent, name);
CREATE TABLE entity_aliases (
  tenant    TEXT COLLATE "C" NOT NULL,
  entity_id TEXT COLLATE "C" NOT NULL,
  folded    TEXT COLLATE "C" NOT NULL,  -- what a mention is compared with
  alias     TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant, entity_id, folded)
);
CREATE INDEX entity_aliases_folded ON entity_aliases (tenant, folded);
CREATE TABLE item_entities (
  tenant    TEXT COLLATE "C" NOT NULL,
  item_id   TEXT COLLATE "C" NOT NULL,
  entity_id TEXT COLLATE "C" NOT NULL,
  alias     TEXT COLLATE "C" NOT NULL,  -- by which name it was linked, so that a split can part them again
  PRIMARY KEY (tenant, item_id, entity_id)
);
CREATE INDEX item_entities_entity ON item_entities (tenant, entity_id);
