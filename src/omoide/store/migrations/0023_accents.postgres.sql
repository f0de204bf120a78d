-- An entity may go by names that only fold alike, such as Asa and Åsa: folding is for search, and tells nobody apart.
-- Safe while older code still runs: the columns stay as they are, and it never gives an entity two such names.
ALTER TABLE entity_aliases DROP CONSTRAINT entity_aliases_pkey;
ALTER TABLE entity_aliases ADD PRIMARY KEY (tenant, entity_id, folded, alias);
