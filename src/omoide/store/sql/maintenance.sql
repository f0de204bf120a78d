-- schema.create --
-- The record of migrations that were run.
CREATE TABLE IF NOT EXISTS schema_versions (version BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL);
-- schema.applied --
-- Migrations that were run, oldest first.
SELECT version, checksum FROM schema_versions ORDER BY version;
-- schema.record --
-- Note that a migration was run, in its own transaction.
INSERT INTO schema_versions (version, name, checksum, applied_at) VALUES (:version, :name, :checksum, :applied_at);
-- schema.stamp --
-- Say when a new store got its tables: they were copied from one made before.
UPDATE schema_versions SET applied_at = :applied_at;
-- check.vectors_alone --
-- Vectors without their document.
SELECT count(*) AS count FROM vectors v WHERE NOT EXISTS (SELECT 1 FROM docs d WHERE d.tenant = v.tenant AND d.doc = v.doc);
-- check.docs_alone --
-- Documents without their item or turn.
SELECT count(*) AS count FROM docs d
 WHERE (d.kind = 'item' AND NOT EXISTS (SELECT 1 FROM items i WHERE i.tenant = d.tenant AND i.id = d.ref))
    OR (d.kind = 'turn' AND NOT EXISTS
        (SELECT 1 FROM turns t WHERE t.tenant = d.tenant AND t.session_id = d.session_id AND t.position = d.position));
-- check.docs_unseen --
-- Documents that no copy in memory would ever load: their stamp is beyond their partition's counter.
SELECT count(*) AS count FROM docs d
 WHERE NOT EXISTS (SELECT 1 FROM partitions p WHERE p.tenant = d.tenant AND p.user_id = d.user_id AND p.seq >= d.seq);
-- check.vectors_unseen --
-- Vectors that no copy in memory would ever load.
SELECT count(*) AS count FROM vectors v
 WHERE NOT EXISTS (SELECT 1 FROM partitions p WHERE p.tenant = v.tenant AND p.user_id = v.user_id AND p.seq >= v.seq);
-- partitions.catch_up --
-- Move counters on to the newest document there is, where they were lost.
INSERT INTO partitions (tenant, user_id, seq) SELECT tenant, user_id, max(seq) FROM docs WHERE true GROUP BY tenant, user_id
ON CONFLICT (tenant, user_id) DO UPDATE SET seq = excluded.seq WHERE excluded.seq > partitions.seq;
