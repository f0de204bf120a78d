-- fts.make --
-- A table of texts and what stands around each, its words stemmed as English.
CREATE VIRTUAL TABLE texts USING fts5(body, around, tokenize = 'porter unicode61');

-- fts.add --
-- One text under its number.
INSERT INTO texts (rowid, body, around) VALUES (:number, :body, :around);

-- fts.search --
-- The numbers of the texts that have any of the words, best by BM25 first; words around a text count half.
SELECT rowid FROM texts WHERE texts MATCH :words ORDER BY bm25(texts, 1.0, 0.5), rowid LIMIT :most;
