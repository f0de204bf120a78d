-- Items can be confirmed by a person.
-- Safe while older code still runs: it neither reads nor names the column, and what it adds has its default.
ALTER TABLE items ADD COLUMN confirmed INTEGER NOT NULL DEFAULT 0;
