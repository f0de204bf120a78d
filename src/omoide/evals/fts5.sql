-- fts.make --
-- A table of texts, its words stemmed as English.
CREATE VIRTUAL TABLE texts USING fts5(body, tokenize = 'porter unicode61');

-- fts.add --
-- One text under its number.
INSERT INTO texts (rowid, body) VALUES (:number, :body);

-- fts.search --
-- The numbers of the texts that have any of the words, best by BM25 first.
SELECT rowid FROM texts WHERE texts MATCH :words ORDER BY rank, rowid LIMIT :most;
