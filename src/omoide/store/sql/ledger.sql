-- ledgers.begin --
-- Begin a tenant's ledger. Changes no row if it has one.
INSERT INTO ledgers (tenant, seq, hash, key) VALUES (:tenant, 0, :hash, :key) ON CONFLICT (tenant) DO NOTHING;
-- ledgers.reserve --
-- Take the next numbers of the chain; the row stays locked until commit, so the chain has no forks.
UPDATE ledgers SET seq = seq + CAST(:count AS BIGINT) WHERE tenant = :tenant RETURNING seq, hash, key;
-- ledgers.head --
-- The end of the chain.
SELECT seq, hash, key FROM ledgers WHERE tenant = :tenant;
-- ledgers.advance --
-- Set the hash at the end of the chain.
UPDATE ledgers SET hash = :hash WHERE tenant = :tenant;
-- ledgers.tenants --
-- Every tenant that has a ledger.
SELECT tenant FROM ledgers ORDER BY tenant;
-- changes.add --
-- Add one entry to the ledger.
INSERT INTO changes (tenant, seq, id, at, action, kind, record, user_id, session_id, actor, cause, content, hash)
VALUES (:tenant, :seq, :id, :at, :action, :kind, :record, :user_id, :session_id, :actor, :cause, :content, :hash);
-- changes.all --
-- A stretch of the chain in order, with the reasons that are still kept.
SELECT c.*, coalesce(r.reason, '') AS reason FROM changes c LEFT JOIN revisions r ON r.tenant = c.tenant AND r.seq = c.seq
 WHERE c.tenant = :tenant AND c.seq > :after ORDER BY c.seq LIMIT :limit;
-- changes.get --
-- One entry by its id.
SELECT c.*, coalesce(r.reason, '') AS reason, r.before FROM changes c LEFT JOIN revisions r ON r.tenant = c.tenant AND r.seq = c.seq
 WHERE c.tenant = :tenant AND c.id = :id;
-- changes.at --
-- One entry by its number.
SELECT c.*, coalesce(r.reason, '') AS reason, r.before FROM changes c LEFT JOIN revisions r ON r.tenant = c.tenant AND r.seq = c.seq
 WHERE c.tenant = :tenant AND c.seq = :seq;
-- changes.of_record --
-- What happened to one record, oldest first.
SELECT c.*, coalesce(r.reason, '') AS reason, r.before FROM changes c LEFT JOIN revisions r ON r.tenant = c.tenant AND r.seq = c.seq
 WHERE c.tenant = :tenant AND c.record = :record ORDER BY c.seq;
-- changes.of_cause --
-- What one import, job or change brought about, newest first.
SELECT c.*, coalesce(r.reason, '') AS reason, r.before FROM changes c LEFT JOIN revisions r ON r.tenant = c.tenant AND r.seq = c.seq
 WHERE c.tenant = :tenant AND c.cause = :cause AND c.cause <> '' ORDER BY c.seq DESC;
-- changes.of_session --
-- What happened within one session, newest first.
SELECT c.*, coalesce(r.reason, '') AS reason, r.before FROM changes c LEFT JOIN revisions r ON r.tenant = c.tenant AND r.seq = c.seq
 WHERE c.tenant = :tenant AND c.session_id = :session_id ORDER BY c.seq DESC;
-- changes.of_gone_entities --
-- What happened to a user's entities that are no more, as far as it is kept, newest first.
SELECT c.*, r.reason, r.before FROM changes c JOIN revisions r ON r.tenant = c.tenant AND r.seq = c.seq
 WHERE c.tenant = :tenant AND c.user_id = :user AND c.kind = 'entity' AND c.action <> 'forget'
   AND NOT EXISTS (SELECT 1 FROM entities e WHERE e.tenant = c.tenant AND e.id = c.record) ORDER BY c.seq DESC;
-- changes.contents --
-- A page of records by id, with the hash that the last change of each left.
SELECT c.kind, c.record, c.content FROM changes c
 WHERE c.tenant = :tenant AND c.record > :after AND c.kind IN ('item', 'reflection', 'digest')
   AND c.seq = (SELECT max(l.seq) FROM changes l WHERE l.tenant = c.tenant AND l.record = c.record)
 ORDER BY c.record LIMIT :limit;
-- changes.last_forgotten --
-- When an item of each user was forgotten last.
SELECT user_id, MAX(at) AS at FROM changes WHERE tenant = :tenant AND kind = 'item' AND action = 'forget' GROUP BY user_id;
-- changes.logged --
-- A page of the loggings of turns of which the salt is still kept.
SELECT c.*, r.reason, r.before FROM changes c JOIN revisions r ON r.tenant = c.tenant AND r.seq = c.seq
 WHERE c.tenant = :tenant AND c.seq > :after AND c.action = 'log' ORDER BY c.seq LIMIT :limit;
-- changes.told --
-- Changes of items that may have kept what was said, or which turns said that they ended.
SELECT c.*, r.reason, r.before FROM changes c JOIN revisions r ON r.tenant = c.tenant AND r.seq = c.seq
 WHERE c.tenant = :tenant AND c.kind = 'item' AND c.action IN ('add', 'reinforce', 'retract', 'supersede') ORDER BY c.seq;
-- changes.judged --
-- What comparing items moved, and the undoings of that, as far as it is kept.
SELECT c.*, r.reason, r.before FROM changes c JOIN revisions r ON r.tenant = c.tenant AND r.seq = c.seq
 WHERE c.tenant = :tenant AND c.kind = 'round' AND c.action IN ('reconcile', 'undo') ORDER BY c.seq;
-- changes.between --
-- What happened to the asker's records between two moments, oldest first.
SELECT c.*, coalesce(r.reason, '') AS reason FROM changes c LEFT JOIN revisions r ON r.tenant = c.tenant AND r.seq = c.seq
 WHERE c.tenant = :tenant AND c.user_id IN ('', :user) AND c.at > :since AND c.at <= :until ORDER BY c.seq LIMIT :limit;
-- changes.seen --
-- How many changes there were of records that the asker sees, or that are gone and were their user's or nobody's.
SELECT count(*) AS total FROM changes c
 WHERE c.tenant = :tenant AND c.user_id IN ('', :user)
   AND NOT EXISTS (SELECT 1 FROM items i WHERE i.tenant = c.tenant AND i.id = c.record
        AND NOT (i.agent IN ('', :agent) AND i.only_session IN ('', :session)))
   AND NOT EXISTS (SELECT 1 FROM entities e WHERE e.tenant = c.tenant AND e.id = c.record AND e.agent NOT IN ('', :agent))
   AND NOT EXISTS (SELECT 1 FROM procedures p WHERE c.kind = 'procedure' AND p.tenant = c.tenant AND p.id = c.record AND p.agent NOT IN ('', :agent))
   AND NOT EXISTS (SELECT 1 FROM proposals p WHERE c.kind = 'proposal' AND p.tenant = c.tenant AND p.id = c.record
        AND NOT (p.agent IN ('', :agent) AND (p.only_session = '' OR p.user_id <> '' OR p.only_session = :session)))
   AND NOT EXISTS (SELECT 1 FROM reflections r WHERE c.kind = 'reflection' AND r.tenant = c.tenant AND r.id = c.record
        AND NOT (r.agent IN ('', :agent) AND r.only_session IN ('', :session)))
   AND NOT EXISTS (SELECT 1 FROM digests d WHERE c.kind = 'digest' AND d.tenant = c.tenant AND d.id = c.record
        AND NOT (d.agent IN ('', :agent) AND d.only_session IN ('', :session)))
   AND NOT EXISTS (SELECT 1 FROM sessions s WHERE c.kind IN ('session', 'turn') AND s.tenant = c.tenant AND s.id = c.session_id
        AND (s.agent NOT IN ('', :agent) OR (s.shared = 1 AND s.id <> :session)));
-- changes.held --
-- One row if any of them still holds a piece of text, of all tenants.
SELECT 1 AS held FROM changes WHERE replace(user_id, :piece, '') <> user_id LIMIT 1;
-- revisions.add --
-- Keep what a change replaced.
INSERT INTO revisions (tenant, seq, record, reason, before) VALUES (:tenant, :seq, :record, :reason, :before);
-- revisions.after --
-- A page of what changes of a tenant replaced, by number, with the kind of record.
SELECT r.*, c.kind FROM revisions r JOIN changes c ON c.tenant = r.tenant AND c.seq = r.seq
 WHERE r.tenant = :tenant AND r.seq > :after ORDER BY r.seq LIMIT :limit;
-- revisions.rewrite --
-- Replace what a change replaced, and its reason, by the same with secrets masked.
UPDATE revisions SET reason = :reason, before = :before WHERE tenant = :tenant AND seq = :seq;
-- revisions.forget --
-- Erase what changes to a record replaced, and their reasons.
DELETE FROM revisions WHERE tenant = :tenant AND record = :record;
-- revisions.forget_one --
-- Erase what one change replaced, and its reason.
DELETE FROM revisions WHERE tenant = :tenant AND seq = :seq;
-- docs.add --
-- Add a document to the search index.
INSERT INTO docs (tenant, user_id, seq, kind, ref, part, agent, only_session, session_id, position, category, context, sensitive, muted, unconfirmed,
                  at, recorded_at, valid_from, valid_until, closed_at, superseded_at, expires_at, own, around)
VALUES (:tenant, :user, :seq, :kind, :ref, :part, :agent, :only_session, :session_id, :position, :category, :context, :sensitive, :muted, :unconfirmed,
        :at, :recorded_at, :valid_from, :valid_until, :closed_at, :superseded_at, :expires_at, :own, :around);
-- docs.add_one --
-- Add a document and say its number.
INSERT INTO docs (tenant, user_id, seq, kind, ref, part, agent, only_session, session_id, position, category, context, sensitive, muted, unconfirmed,
                  at, recorded_at, valid_from, valid_until, closed_at, superseded_at, expires_at, own, around)
VALUES (:tenant, :user, :seq, :kind, :ref, :part, :agent, :only_session, :session_id, :position, :category, :context, :sensitive, :muted, :unconfirmed,
        :at, :recorded_at, :valid_from, :valid_until, :closed_at, :superseded_at, :expires_at, :own, :around)
RETURNING doc;
-- docs.set --
-- Set what a search filters an item's documents by, and unless NULL the words around them.
UPDATE docs SET seq = :seq, around = coalesce(CAST(:around AS TEXT), around), category = :category, context = :context, sensitive = :sensitive, muted = :muted, unconfirmed = :unconfirmed, at = :at, valid_from = :valid_from,
       valid_until = :valid_until, closed_at = :closed_at, superseded_at = :superseded_at, expires_at = :expires_at
 WHERE tenant = :tenant AND kind = 'item' AND ref = :ref;
-- docs.keep --
-- Let the turns of a session be found from within it only.
UPDATE docs SET seq = :seq, only_session = :session_id
 WHERE tenant = :tenant AND user_id = :user AND kind = 'turn' AND session_id = :session_id AND only_session = '';
-- docs.hide --
-- Take a turn's documents out of every search, or bring them back.
UPDATE docs SET seq = :seq, superseded_at = :superseded_at, closed_at = :closed_at WHERE tenant = :tenant AND kind = 'turn' AND ref = :ref;
-- docs.of_ref --
-- The documents of one record.
SELECT * FROM docs WHERE tenant = :tenant AND kind = :kind AND ref = :ref ORDER BY part;
-- docs.forget --
-- Erase a record's documents.
DELETE FROM docs WHERE tenant = :tenant AND kind = :kind AND ref = :ref RETURNING doc, user_id;
-- docs.alone --
-- Documents of a tenant whose item or turn is gone.
SELECT d.doc, d.kind, d.ref FROM docs d
 WHERE d.tenant = :tenant
   AND ((d.kind = 'item' AND NOT EXISTS (SELECT 1 FROM items i WHERE i.tenant = d.tenant AND i.id = d.ref))
     OR (d.kind = 'turn' AND NOT EXISTS
         (SELECT 1 FROM turns t WHERE t.tenant = d.tenant AND t.session_id = d.session_id AND t.position = d.position)))
 ORDER BY d.doc LIMIT :limit;
-- docs.unseen --
-- Stamp documents and vectors of a partition that no copy in memory would ever load.
UPDATE docs SET seq = :seq WHERE tenant = :tenant AND user_id = :user AND seq > :seq;
-- vectors.unseen --
-- Stamp vectors of a partition that no copy in memory would ever load.
UPDATE vectors SET seq = :seq WHERE tenant = :tenant AND user_id = :user AND seq > :seq;
-- docs.without_vector --
-- Documents of a tenant that lack a vector of an embedder.
SELECT d.doc, d.user_id, d.kind, d.ref, d.part FROM docs d
 WHERE d.tenant = :tenant AND d.doc > :after
   AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.tenant = d.tenant AND v.model = :model AND v.doc = d.doc)
 ORDER BY d.doc LIMIT :limit;
-- docs.with_vector --
-- Documents of a tenant that have a vector of an embedder.
SELECT d.doc, d.user_id, d.kind, d.ref, d.part FROM docs d JOIN vectors v ON v.tenant = d.tenant AND v.doc = d.doc
 WHERE d.tenant = :tenant AND v.model = :model AND d.doc > :after
 ORDER BY d.doc LIMIT :limit;
-- docs.waiting --
-- How many of the asker's documents lack a vector of an embedder.
SELECT count(*) AS total FROM docs d
 WHERE d.tenant = :tenant AND d.user_id IN ('', :user) AND d.agent IN ('', :agent) AND d.only_session IN ('', :session)
   AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.tenant = d.tenant AND v.model = :model AND v.doc = d.doc);
-- docs.count --
-- How many documents an asker may see.
SELECT count(*) AS total FROM docs
 WHERE tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent) AND only_session IN ('', :session);
-- docs.tenants --
-- Every tenant with documents.
SELECT DISTINCT tenant FROM partitions ORDER BY tenant;
-- partitions.of_tenant --
-- The partitions of a tenant.
SELECT user_id, seq FROM partitions WHERE tenant = :tenant ORDER BY user_id;
-- erased.add --
-- Note that a document is gone, so that copies in memory drop it.
INSERT INTO erased (tenant, user_id, seq, doc) VALUES (:tenant, :user, :seq, :doc);
-- vectors.add --
-- Store a document's vector; changes no row if it has one of this embedder.
INSERT INTO vectors (tenant, user_id, model, seq, doc, vector) VALUES (:tenant, :user, :model, :seq, :doc, :vector)
ON CONFLICT (tenant, model, doc) DO NOTHING;
-- vectors.stamp --
-- Let copies in memory load the vectors of a turn that is brought back; while it was hidden they had none.
UPDATE vectors SET seq = :seq
 WHERE tenant = :tenant AND doc IN (SELECT doc FROM docs WHERE tenant = :tenant AND kind = 'turn' AND ref = :ref);
-- vectors.drop --
-- Erase a document's vectors of every embedder.
DELETE FROM vectors WHERE tenant = :tenant AND doc = :doc;
-- vectors.retire --
-- Erase an embedder's vectors.
DELETE FROM vectors WHERE model = :model;
-- vectors.count --
-- How many vectors of an embedder there are.
SELECT count(*) AS total FROM vectors WHERE model = :model;
-- vectors.orphans --
-- Vectors whose document is gone.
SELECT v.doc, v.user_id FROM vectors v WHERE v.tenant = :tenant
   AND NOT EXISTS (SELECT 1 FROM docs d WHERE d.tenant = v.tenant AND d.doc = v.doc) ORDER BY v.doc LIMIT :limit;
-- embedders.all --
-- Every embedder that ever made vectors here.
SELECT * FROM embedders ORDER BY model;
-- embedders.add --
-- Make an embedder known. Changes no row if it is.
INSERT INTO embedders (id, spec, dimension, state) VALUES (:id, :spec, :dimension, :state) ON CONFLICT (id) DO NOTHING;
-- embedders.set --
-- Set what an embedder's vectors are for: active, building or retired.
UPDATE embedders SET state = :state WHERE model = :model;
-- embedders.limit --
-- Note how much of a text an embedder's server takes at once. Changes no row if that is known.
UPDATE embedders SET input_bytes = :input_bytes WHERE model = :model AND (input_bytes = 0 OR input_bytes > :input_bytes);
-- meta.get --
-- One value about the store itself.
SELECT value FROM meta WHERE key = :key;
-- meta.set --
-- Set one value about the store itself.
INSERT INTO meta (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value;
