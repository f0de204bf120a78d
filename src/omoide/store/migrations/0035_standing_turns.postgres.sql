-- Turns in which a user asks for something once and for all are found without reading the log: they stand in every prompt.
-- Safe while older code still runs: the column has a default, and what older code logs is none of these.
ALTER TABLE turns ADD COLUMN standing BIGINT NOT NULL DEFAULT 0;  -- 1: it holds a standing instruction
CREATE INDEX turns_standing ON turns (tenant, user_id, at) WHERE standing = 1;
