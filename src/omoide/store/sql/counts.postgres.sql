-- tables.count --
-- Rows by table.
SELECT 'changes' AS name, count(*) AS count FROM changes
UNION ALL SELECT 'digest_sources', count(*) FROM digest_sources
UNION ALL SELECT 'digests', count(*) FROM digests
UNION ALL SELECT 'docs', count(*) FROM docs
UNION ALL SELECT 'embedders', count(*) FROM embedders
UNION ALL SELECT 'entities', count(*) FROM entities
UNION ALL SELECT 'entity_aliases', count(*) FROM entity_aliases
UNION ALL SELECT 'erased', count(*) FROM erased
UNION ALL SELECT 'exports', count(*) FROM exports
UNION ALL SELECT 'foreign_changes', count(*) FROM foreign_changes
UNION ALL SELECT 'foreign_ledgers', count(*) FROM foreign_ledgers
UNION ALL SELECT 'item_bases', count(*) FROM item_bases
UNION ALL SELECT 'item_entities', count(*) FROM item_entities
UNION ALL SELECT 'item_pairs', count(*) FROM item_pairs
UNION ALL SELECT 'item_sources', count(*) FROM item_sources
UNION ALL SELECT 'items', count(*) FROM items
UNION ALL SELECT 'jobs', count(*) FROM jobs
UNION ALL SELECT 'ledgers', count(*) FROM ledgers
UNION ALL SELECT 'meta', count(*) FROM meta
UNION ALL SELECT 'model_calls', count(*) FROM model_calls
UNION ALL SELECT 'partitions', count(*) FROM partitions
UNION ALL SELECT 'procedure_vectors', count(*) FROM procedure_vectors
UNION ALL SELECT 'procedures', count(*) FROM procedures
UNION ALL SELECT 'proposals', count(*) FROM proposals
UNION ALL SELECT 'readings', count(*) FROM readings
UNION ALL SELECT 'reflection_sources', count(*) FROM reflection_sources
UNION ALL SELECT 'reflections', count(*) FROM reflections
UNION ALL SELECT 'revisions', count(*) FROM revisions
UNION ALL SELECT 'schema_versions', count(*) FROM schema_versions
UNION ALL SELECT 'saved_searches', count(*) FROM saved_searches
UNION ALL SELECT 'senders', count(*) FROM senders
UNION ALL SELECT 'sessions', count(*) FROM sessions
UNION ALL SELECT 'tool_calls', count(*) FROM tool_calls
UNION ALL SELECT 'turns', count(*) FROM turns
UNION ALL SELECT 'users', count(*) FROM users
UNION ALL SELECT 'vectors', count(*) FROM vectors
 ORDER BY name;
