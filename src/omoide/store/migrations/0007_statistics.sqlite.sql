-- What SQLite's planner is to believe of the tables: a million rows, ten tenants with a hundred users each.
-- Told nothing, it takes the rows of a tenant for ten, and would rather read all of these than use the index that fits.
-- Figures made up once are better than measured ones here: every store runs every query the same way, whatever it holds.
-- A migration that adds an index adds its line.
ANALYZE;
DELETE FROM sqlite_stat1;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('changes', 'changes', '1000000 100000 1'),
  ('changes', 'changes_cause', '1000000 100000 10'),
  ('changes', 'changes_id', '1000000 100000 1'),
  ('changes', 'changes_record', '1000000 100000 10'),
  ('docs', 'docs_at', '1000000 100000 1000 10'),
  ('docs', 'docs_ref', '1000000 100000 10'),
  ('docs', 'docs_seq', '1000000 100000 1000 10'),
  ('entities', 'entities_name', '1000000 100000 1000 500 1'),
  ('entities', 'sqlite_autoindex_entities_1', '1000000 100000 1'),
  ('entity_aliases', 'entity_aliases', '1000000 100000 10 1'),
  ('entity_aliases', 'entity_aliases_folded', '1000000 100000 10'),
  ('erased', 'erased', '1000000 100000 1000 10 1'),
  ('item_entities', 'item_entities', '1000000 100000 10 1'),
  ('item_entities', 'item_entities_entity', '1000000 100000 10'),
  ('item_sources', 'item_sources', '1000000 100000 10 10 1'),
  ('item_sources', 'item_sources_turn', '1000000 100000 10 10'),
  ('items', 'items_due', '1000000 100000 1000 10'),
  ('items', 'items_origin', '1000000 100000 10'),
  ('items', 'items_supersedes', '1000000 100000 10'),
  ('items', 'items_user', '1000000 100000 1000'),
  ('items', 'sqlite_autoindex_items_1', '1000000 100000 1'),
  ('revisions', 'revisions', '1000000 100000 1'),
  ('revisions', 'revisions_record', '1000000 100000 10'),
  ('sessions', 'sessions_user', '1000000 100000 1000 10'),
  ('sessions', 'sqlite_autoindex_sessions_1', '1000000 100000 1'),
  ('tool_calls', 'sqlite_autoindex_tool_calls_1', '1000000 100000 1'),
  ('tool_calls', 'tool_calls_at', '1000000 100000 1000 10'),
  ('tool_calls', 'tool_calls_session', '1000000 100000 10'),
  ('tool_calls', 'tool_calls_tool', '1000000 100000 1000 10 10'),
  ('turns', 'sqlite_autoindex_turns_1', '1000000 100000 10 1'),
  ('turns', 'turns_key', '1000000 100000 10 1'),
  ('turns', 'turns_origin', '1000000 100000 10'),
  ('vectors', 'vectors_doc', '1000000 100000 10 1'),
  ('vectors', 'vectors_seq', '1000000 100000 1000 500 10');
ANALYZE sqlite_schema;
