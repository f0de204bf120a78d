-- Whatever a model makes can wait for a person, not items alone; what was rejected, expired or pruned can be brought back for a time;
-- and a procedure says whose word it is.
-- Safe while older code still runs: it neither reads nor names these columns, and what it adds has their defaults. It shows a proposal
-- that is not of an item without a text, cannot approve it, and deletes what it rejects and what was rejected or expired.
ALTER TABLE proposals ADD COLUMN kind TEXT NOT NULL DEFAULT 'item';      -- of what it would make: item, reflection, digest, procedure
ALTER TABLE proposals ADD COLUMN made TEXT NOT NULL DEFAULT '';          -- JSON of that, where it is no item
ALTER TABLE proposals ADD COLUMN only_session TEXT NOT NULL DEFAULT '';  -- where it would be seen only from within a session
ALTER TABLE proposals ADD COLUMN settled_at BIGINT;                      -- when it was rejected or expired; NULL: it waits
ALTER TABLE procedures ADD COLUMN tier BIGINT NOT NULL DEFAULT 1;        -- whose word it is: 0 a tool's or document's, 1 an agent's, 2 the user's
UPDATE procedures SET tier = 0 WHERE provenance IN ('failure', 'file');  -- what an error or a file says, as far as anybody can tell now
ALTER TABLE tool_calls ADD COLUMN purge_at BIGINT;                       -- pruned: out of all reads, and erased then
CREATE INDEX proposals_settled ON proposals (tenant, settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX tool_calls_purge ON tool_calls (tenant, purge_at) WHERE purge_at IS NOT NULL;
