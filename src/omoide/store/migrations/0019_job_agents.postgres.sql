-- Jobs say which agent they are for, so that others see neither them nor what a model said in them.
-- Safe while older code still runs: it neither reads nor names the column, and what it adds has its default.
ALTER TABLE jobs ADD COLUMN agent TEXT COLLATE "C" NOT NULL DEFAULT '';
UPDATE jobs SET agent = coalesce(CAST(args AS JSON) ->> 'agent', '') WHERE args IS JSON OBJECT;
