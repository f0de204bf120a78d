-- items.many --
-- The items of a JSON list of ids that the asker may see.
SELECT * FROM items
 WHERE tenant = :tenant AND id IN (SELECT value FROM json_each(:ids)) AND user_id IN ('', :user) AND agent IN ('', :agent)
   AND only_session IN ('', :session)
 ORDER BY id;
-- turns.many --
-- The turns of a JSON list of [session, position] that the asker may see.
SELECT t.* FROM json_each(:ids) j
  CROSS JOIN turns t ON t.tenant = :tenant AND t.session_id = j.value ->> 0 AND t.position = j.value ->> 1
 WHERE t.user_id IN ('', :user) AND t.agent IN ('', :agent) AND (t.shared = 0 OR t.session_id = :session) AND t.hidden_at IS NULL
 ORDER BY t.session_id, t.position;
-- items.raw_many --
-- The items of a JSON list of ids, whoever asks: for the write path.
SELECT * FROM items WHERE tenant = :tenant AND id IN (SELECT value FROM json_each(:ids)) ORDER BY id;
-- turns.raw_many --
-- The turns of a JSON list of [session, position], whoever asks: for the write path.
SELECT t.* FROM json_each(:ids) j
  CROSS JOIN turns t ON t.tenant = :tenant AND t.session_id = j.value ->> 0 AND t.position = j.value ->> 1 ORDER BY t.session_id, t.position;
-- turns.with_keys --
-- A session's turns that a JSON list of keys stands for already.
SELECT * FROM turns
 WHERE tenant = :tenant AND session_id = :session_id AND key IN (SELECT value FROM json_each(:keys)) AND key <> '' ORDER BY position;
-- turns.held_beside --
-- Which of a JSON list of keys other sessions of a user and agent, of one channel, hold that went on until a time or longer.
SELECT DISTINCT t.key FROM sessions s
  CROSS JOIN turns t
 WHERE s.tenant = :tenant AND s.user_id = :user AND s.last_at >= :since AND s.agent = :agent AND s.channel = :channel AND s.id <> :session_id
   AND t.tenant = s.tenant AND t.session_id = s.id AND t.key IN (SELECT value FROM json_each(:keys)) AND t.key <> '';
-- item_entities.many --
-- The entity names of a JSON list of items, and the names these were called by.
SELECT ie.item_id, e.name, ie.alias FROM item_entities ie JOIN entities e ON e.tenant = ie.tenant AND e.id = ie.entity_id
 WHERE ie.tenant = :tenant AND ie.item_id IN (SELECT value FROM json_each(:ids)) ORDER BY ie.item_id, e.name;
-- entity_aliases.many --
-- The names that each of a JSON list of entities goes by.
SELECT entity_id, folded, alias FROM entity_aliases
 WHERE tenant = :tenant AND entity_id IN (SELECT value FROM json_each(:ids)) ORDER BY entity_id, folded;
-- item_links.many --
-- What a JSON list of items is linked to: entities by name, source turns by session and position, the items it rests on by id.
SELECT ie.item_id, 'entity' AS kind, e.name AS target, 0 AS position
  FROM item_entities ie JOIN entities e ON e.tenant = ie.tenant AND e.id = ie.entity_id
 WHERE ie.tenant = :tenant AND ie.item_id IN (SELECT value FROM json_each(:ids))
 UNION ALL SELECT item_id, CASE WHEN again = 1 THEN 'again' ELSE 'turn' END AS kind, session_id AS target, position FROM item_sources
 WHERE tenant = :tenant AND item_id IN (SELECT value FROM json_each(:ids))
 UNION ALL SELECT item_id, 'base' AS kind, base_id AS target, 0 AS position FROM item_bases
 WHERE tenant = :tenant AND item_id IN (SELECT value FROM json_each(:ids))
 ORDER BY item_id, target, position;
-- reflection_sources.many --
-- The source turns of a JSON list of reflections.
SELECT reflection_id, session_id, position FROM reflection_sources
 WHERE tenant = :tenant AND reflection_id IN (SELECT value FROM json_each(:ids)) ORDER BY reflection_id, session_id, position;
-- digest_sources.many --
-- What each of a JSON list of digests was made from.
SELECT digest_id, source FROM digest_sources
 WHERE tenant = :tenant AND digest_id IN (SELECT value FROM json_each(:ids)) ORDER BY digest_id, source;
-- items.with_tag --
-- The documents of the asker's items that carry a tag.
SELECT d.doc FROM items i JOIN docs d ON d.tenant = i.tenant AND d.kind = 'item' AND d.ref = i.id
 WHERE i.tenant = :tenant AND i.user_id IN ('', :user) AND i.agent IN ('', :agent) AND i.only_session IN ('', :session)
   AND i.tags <> '[]' AND EXISTS (SELECT 1 FROM json_each(CASE WHEN json_valid(i.tags) THEN i.tags ELSE '[]' END) WHERE value = :tag);
-- jobs.turn --
-- Claims come one after the other: here any transaction that writes does. Whether a lease of a tenant's, or of anyone's, has run out.
SELECT 1 AS is_ours,
       EXISTS (SELECT 1 FROM jobs WHERE state = 'leased' AND lease_until <= :now AND (:tenant IS NULL OR tenant = :tenant)) AS expired;
-- jobs.expire --
-- Take back the leases of a tenant's, or of anyone's, that ran out; the job gives up if it has lost its worker too often.
UPDATE jobs SET state = CASE WHEN failures + 1 >= :most THEN 'dead' ELSE 'ready' END, lease_until = NULL, failures = failures + 1,
       failed_at = :now, error = :error
 WHERE state = 'leased' AND lease_until <= :now AND (:tenant IS NULL OR tenant = :tenant);
-- jobs.claim --
-- Lease the next job of these kinds that is ready. Of what is done for one user, embedding aside, one thing is done at a time.
UPDATE jobs SET state = 'leased', lease_until = :lease_until, attempts = attempts + 1
 WHERE rowid = (SELECT j.rowid FROM json_each(:kinds) k JOIN jobs j ON j.rowid =
         (SELECT r.rowid FROM jobs r WHERE r.state = 'ready' AND r.kind = k.value AND r.run_at <= :now
             AND (r.kind = 'embed' OR NOT EXISTS (SELECT 1 FROM jobs l
                   WHERE l.state = 'leased' AND l.kind <> 'embed' AND l.tenant = r.tenant AND l.user_id = r.user_id))
           ORDER BY r.run_at, r.id LIMIT 1)
       ORDER BY j.run_at, j.id LIMIT 1)
RETURNING *;
-- entity_aliases.named --
-- Of a JSON list of folded names, those that the asker's entities go by.
SELECT DISTINCT a.folded FROM entity_aliases a JOIN entities e ON e.tenant = a.tenant AND e.id = a.entity_id
 WHERE a.tenant = :tenant AND a.folded IN (SELECT value FROM json_each(:names)) AND e.user_id IN ('', :user) AND e.agent IN ('', :agent) ORDER BY a.folded;
-- docs.many --
-- What a JSON list of documents stand for.
SELECT d.doc, d.kind, d.ref, d.part, d.own FROM json_each(:docs) j CROSS JOIN docs d ON d.doc = j.value WHERE d.tenant = :tenant ORDER BY doc;
-- docs.allowed --
-- Of a JSON list of documents, those that a question's filters let pass.
SELECT d.doc FROM json_each(:docs) j CROSS JOIN docs d ON d.doc = j.value
 WHERE tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent) AND only_session IN ('', :session)
   AND d.kind IN (SELECT value FROM json_each(:kinds)) AND (CAST(:categories AS TEXT) = '' OR category IN (SELECT value FROM json_each(CASE WHEN :categories = '' THEN '[]' ELSE :categories END)))
   AND (CAST(:contexts AS TEXT) = '' OR context IN (SELECT value FROM json_each(CASE WHEN :contexts = '' THEN '[]' ELSE :contexts END)))
   AND at >= :since AND at < :until AND (:with_sensitive = 1 OR sensitive = 0) AND (:with_muted = 1 OR muted = 0) AND (:confirmed_only = 0 OR unconfirmed = '')
   AND (CAST(:without_session AS TEXT) = '' OR session_id <> :without_session)
   AND ((CASE WHEN user_id <> '' THEN :user_off = 0 WHEN agent <> '' THEN :agent_off = 0 ELSE :shared_off = 0 END) OR (session_id = :session AND session_id <> ''))
   AND recorded_at <= :known_at AND (valid_from <= :as_of OR (:as_it_is = 1 AND valid_from <= recorded_at)) AND (valid_until IS NULL OR valid_until > :as_of)
   AND (superseded_at IS NULL OR superseded_at > :known_at OR closed_at IS NULL OR (closed_at > :as_of AND (:as_it_is = 0 OR (closed_at > recorded_at AND closed_at > superseded_at))))
   AND (expires_at IS NULL OR expires_at > :as_of);
-- docs.between --
-- Documents that a question's filters let pass and whose time lies in an interval, latest first; of a JSON list, unless that is empty text.
SELECT d.doc FROM docs d
 WHERE tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent) AND only_session IN ('', :session)
   AND d.kind IN (SELECT value FROM json_each(:kinds)) AND (CAST(:categories AS TEXT) = '' OR category IN (SELECT value FROM json_each(CASE WHEN :categories = '' THEN '[]' ELSE :categories END)))
   AND (CAST(:contexts AS TEXT) = '' OR context IN (SELECT value FROM json_each(CASE WHEN :contexts = '' THEN '[]' ELSE :contexts END)))
   AND (CAST(:docs AS TEXT) = '' OR d.doc IN (SELECT value FROM json_each(CASE WHEN :docs = '' THEN '[]' ELSE :docs END)))
   AND at >= :start AND at < :end AND at >= :since AND at < :until AND (:with_sensitive = 1 OR sensitive = 0) AND (:with_muted = 1 OR muted = 0) AND (:confirmed_only = 0 OR unconfirmed = '')
   AND (CAST(:without_session AS TEXT) = '' OR session_id <> :without_session)
   AND ((CASE WHEN user_id <> '' THEN :user_off = 0 WHEN agent <> '' THEN :agent_off = 0 ELSE :shared_off = 0 END) OR (session_id = :session AND session_id <> ''))
   AND recorded_at <= :known_at AND (valid_from <= :as_of OR (:as_it_is = 1 AND valid_from <= recorded_at)) AND (valid_until IS NULL OR valid_until > :as_of)
   AND (superseded_at IS NULL OR superseded_at > :known_at OR closed_at IS NULL OR (closed_at > :as_of AND (:as_it_is = 0 OR (closed_at > recorded_at AND closed_at > superseded_at))))
   AND (expires_at IS NULL OR expires_at > :as_of)
 ORDER BY at DESC, doc DESC LIMIT :limit;
-- vectors.of_doc --
-- A document's vectors.
SELECT model, vector FROM vectors WHERE tenant = :tenant AND doc = :doc ORDER BY model;
-- items.meaning --
-- The items that are meant to close one once they are confirmed.
SELECT * FROM items WHERE tenant = :tenant AND meant <> '' AND json_extract(meant, '$.ref') = :id ORDER BY id;
-- items.comparable --
-- The newest items of a partition that hold and may be compared with each other, with where they stand and their vectors.
SELECT i.id, i.agent, i.only_session, i.context, v.vector
  FROM items i JOIN docs d ON d.tenant = i.tenant AND d.kind = 'item' AND d.ref = i.id
  JOIN vectors v ON v.tenant = d.tenant AND v.doc = d.doc AND v.model = :model
 WHERE i.tenant = :tenant AND i.user_id = :user AND i.superseded_at IS NULL AND i.unconfirmed = ''
   AND i.category NOT IN ('system', 'profile', 'permission')
   AND (i.expires_at IS NULL OR i.expires_at > :now) AND (i.valid_until IS NULL OR i.valid_until > :now)
 ORDER BY i.recorded_at DESC, i.id DESC LIMIT :limit;
-- readings.of_refs --
-- What a reranker made of a JSON list of records.
SELECT d.kind, d.ref, r.reading
  FROM json_each(:refs) j CROSS JOIN docs d ON d.tenant = :tenant AND d.ref = j.value
  CROSS JOIN readings r ON r.tenant = d.tenant AND r.doc = d.doc AND r.reader = :reader
 WHERE d.part = 0;
-- senders.many --
-- The users that those of a JSON list of senders of a channel are linked to.
SELECT * FROM senders WHERE tenant = :tenant AND channel = :channel AND sender IN (SELECT value FROM json_each(:senders)) ORDER BY sender;
-- changes.forgotten --
-- Those of a JSON list of records whose last change was that they were forgotten.
SELECT c.kind, c.record FROM changes c
 WHERE c.tenant = :tenant AND c.record IN (SELECT value FROM json_each(:ids)) AND c.action = 'forget'
   AND c.seq = (SELECT max(l.seq) FROM changes l WHERE l.tenant = c.tenant AND l.record = c.record)
 ORDER BY c.record;
-- foreign_changes.known --
-- Those of a JSON list of ids of changes that are on the ledger already, or kept as foreign history.
SELECT id FROM changes WHERE tenant = :tenant AND id IN (SELECT value FROM json_each(:ids))
 UNION SELECT id FROM foreign_changes WHERE tenant = :tenant AND id IN (SELECT value FROM json_each(:ids));
