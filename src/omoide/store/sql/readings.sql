-- readings.add --
-- Store what a reranker made of a text; changes no row if that is there.
INSERT INTO readings (tenant, doc, reader, reading) VALUES (:tenant, :doc, :reader, :reading)
ON CONFLICT (tenant, doc, reader) DO NOTHING;
-- readings.unread --
-- The first documents of records that a reranker has not read.
SELECT d.doc, d.user_id, d.kind, d.ref, d.part FROM docs d
 WHERE d.tenant = :tenant AND d.doc > :after AND d.part = 0
   AND NOT EXISTS (SELECT 1 FROM readings r WHERE r.tenant = d.tenant AND r.doc = d.doc AND r.reader = :reader)
 ORDER BY d.doc LIMIT :limit;
-- readings.drop --
-- Erase what rerankers made of a document.
DELETE FROM readings WHERE tenant = :tenant AND doc = :doc;
-- readings.orphans --
-- Readings whose document is gone.
SELECT DISTINCT r.doc FROM readings r WHERE r.tenant = :tenant
   AND NOT EXISTS (SELECT 1 FROM docs d WHERE d.tenant = r.tenant AND d.doc = r.doc) ORDER BY r.doc LIMIT :limit;
-- readings.drop_others --
-- Erase what other rerankers made of a tenant's texts.
DELETE FROM readings WHERE tenant = :tenant AND reader <> :reader;
