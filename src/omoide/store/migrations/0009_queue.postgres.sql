-- Jobs of one user are done one at a time, give up with a reason, and go with the session they are about.
-- Safe while older code still runs: it neither reads nor names these columns, and what it adds has their defaults.
ALTER TABLE jobs ADD COLUMN session_id TEXT COLLATE "C" NOT NULL DEFAULT '';  -- what it is about, so that forgetting finds it
ALTER TABLE jobs ADD COLUMN failures BIGINT NOT NULL DEFAULT 0;               -- those that count; attempts only tells one claim from another
ALTER TABLE jobs ADD COLUMN failed_at BIGINT;                                 -- the last time
ALTER TABLE jobs ADD COLUMN answer TEXT COLLATE "C" NOT NULL DEFAULT '';      -- of a model, raw, where that was the reason
DROP INDEX jobs_ready;
CREATE INDEX jobs_next ON jobs (kind, run_at, id) WHERE state = 'ready';
CREATE INDEX jobs_at_work ON jobs (tenant, user_id) WHERE state = 'leased';
CREATE INDEX jobs_session ON jobs (tenant, session_id) WHERE session_id <> '';
