-- items.add --
-- Add one item.
INSERT INTO items (tenant, id, user_id, agent, only_session, context, category, domain, text, escaped, tags, metadata, source, tier, origin,
                   confidence, sensitive, pinned, muted, due_at, reminded_at, expires_at, valid_from, valid_until, closed_at, superseded_at,
                   superseded_by, supersedes, similar_to, quote, quote_start, quote_end, unconfirmed, unconfirmed_at, confirmed_confidence, meant, masks, salt, created_at, updated_at, recorded_at, uses,
                   last_used_at, helpful, harmful)
VALUES (:tenant, :id, :user, :agent, :session, :context, :category, :domain, :text, :escaped, :tags, :metadata, :source, :tier, :origin,
        :confidence, :sensitive, :pinned, :muted, :due_at, :reminded_at, :expires_at, :valid_from, :valid_until, :closed_at, :superseded_at,
        :superseded_by, :supersedes, :similar_to, :quote, :quote_start, :quote_end, :unconfirmed, :unconfirmed_at, :confirmed_confidence, :meant, :masks, :salt, :created_at, :updated_at, :recorded_at, :uses,
        :last_used_at, :helpful, :harmful);
-- items.set --
-- Set every column of an item that may change: its attributes, state and marks, never its text. One that was archived is no longer.
UPDATE items SET context = :context, category = :category, domain = :domain, tags = :tags, metadata = :metadata, tier = :tier,
       confidence = :confidence, sensitive = :sensitive, pinned = :pinned, muted = :muted, due_at = CAST(:due_at AS BIGINT),
       reminded_at = CAST(:reminded_at AS BIGINT), expires_at = CAST(:expires_at AS BIGINT), valid_from = :valid_from,
       valid_until = CAST(:valid_until AS BIGINT), closed_at = CAST(:closed_at AS BIGINT), superseded_at = CAST(:superseded_at AS BIGINT),
       superseded_by = :superseded_by, unconfirmed = :unconfirmed, unconfirmed_at = CAST(:unconfirmed_at AS BIGINT),
       confirmed_confidence = CAST(:confirmed_confidence AS DOUBLE PRECISION), meant = :meant, updated_at = :updated_at, helpful = :helpful, harmful = :harmful,
       purge_at = NULL
 WHERE tenant = :tenant AND id = :id;
-- items.rewrite --
-- Replace an item's text by the same text with its secrets masked: the one change a text may see.
UPDATE items SET text = :text, escaped = :escaped, masks = :masks, quote = :quote WHERE tenant = :tenant AND id = :id;
-- items.relabel --
-- Set what stands about an item beside its text, as it is with secrets masked.
UPDATE items SET domain = :domain, tags = :tags, metadata = :metadata, origin = :origin, meant = :meant WHERE tenant = :tenant AND id = :id;
-- items.use --
-- Count recalls that returned the item, the last of them at a time; the sum is made in the database, so that no process loses another's.
UPDATE items SET uses = uses + CAST(:times AS BIGINT), last_used_at = CASE WHEN last_used_at > :at THEN last_used_at ELSE :at END
 WHERE tenant = :tenant AND id = :id;
-- items.get --
-- One item the asker may see, closed or open.
SELECT * FROM items
 WHERE tenant = :tenant AND id = :id AND user_id IN ('', :user) AND agent IN ('', :agent) AND only_session IN ('', :session);
-- items.raw --
-- One item, whoever asks: for the write path.
SELECT * FROM items WHERE tenant = :tenant AND id = :id;
-- items.successors --
-- The items that superseded one item, oldest first.
SELECT * FROM items WHERE tenant = :tenant AND supersedes = :id AND supersedes <> '' ORDER BY recorded_at, id;
-- items.list --
-- A page of the items an asker sees, filtered and in a named order.
SELECT i.* FROM items i
 WHERE i.tenant = :tenant AND i.user_id IN ('', :user) AND i.agent IN ('', :agent) AND i.only_session IN ('', :session)
   AND (:closed = 1 OR ((i.superseded_at IS NULL OR (i.closed_at > :now AND i.closed_at > i.superseded_at AND i.closed_at > i.recorded_at)) AND (i.expires_at IS NULL OR i.expires_at > :now)
        AND (i.valid_until IS NULL OR i.valid_until > :now)))
   AND (:category = '' OR i.category = :category) AND (:domain = '' OR i.domain = :domain)
   AND (:context = '' OR i.context = :context OR (:with_global = 1 AND i.context = 'global'))
   AND (:sensitive = -1 OR i.sensitive = :sensitive)
   AND (:unconfirmed = 0 OR (i.unconfirmed <> '' AND i.superseded_at IS NULL)) AND (:confirmed_only = 0 OR i.unconfirmed = '')
   AND (CAST(:since AS BIGINT) IS NULL OR i.valid_from >= CAST(:since AS BIGINT))
   AND (CAST(:until AS BIGINT) IS NULL OR i.valid_from < CAST(:until AS BIGINT))
   AND (:entity = '' OR EXISTS (SELECT 1 FROM item_entities ie JOIN entities e ON e.tenant = ie.tenant AND e.id = ie.entity_id
        JOIN entity_aliases a ON a.tenant = e.tenant AND a.entity_id = e.id
        WHERE ie.tenant = i.tenant AND ie.item_id = i.id AND a.folded = :entity))
 ORDER BY CASE WHEN :sort = 'confidence' AND :descending = 1 THEN i.confidence END DESC,
          CASE WHEN :sort = 'confidence' AND :descending = 0 THEN i.confidence END,
          CASE WHEN :sort = 'created_at' AND :descending = 1 THEN i.created_at END DESC,
          CASE WHEN :sort = 'created_at' AND :descending = 0 THEN i.created_at END,
          CASE WHEN :sort = 'updated_at' AND :descending = 1 THEN i.updated_at END DESC,
          CASE WHEN :sort = 'updated_at' AND :descending = 0 THEN i.updated_at END,
          CASE WHEN :sort = 'uses' AND :descending = 1 THEN i.uses END DESC,
          CASE WHEN :sort = 'uses' AND :descending = 0 THEN i.uses END,
          CASE WHEN :sort = 'category' AND :descending = 1 THEN i.category END DESC,
          CASE WHEN :sort = 'category' AND :descending = 0 THEN i.category END,
          CASE WHEN :sort = 'context' AND :descending = 1 THEN i.context END DESC,
          CASE WHEN :sort = 'context' AND :descending = 0 THEN i.context END,
          CASE WHEN :sort = 'text' AND :descending = 1 THEN i.text END DESC,
          CASE WHEN :sort = 'text' AND :descending = 0 THEN i.text END,
          i.created_at DESC, i.id DESC
 LIMIT :limit OFFSET :offset;
-- items.count --
-- How many items items.list would page through.
SELECT count(*) AS total FROM items i
 WHERE i.tenant = :tenant AND i.user_id IN ('', :user) AND i.agent IN ('', :agent) AND i.only_session IN ('', :session)
   AND (:closed = 1 OR ((i.superseded_at IS NULL OR (i.closed_at > :now AND i.closed_at > i.superseded_at AND i.closed_at > i.recorded_at)) AND (i.expires_at IS NULL OR i.expires_at > :now)
        AND (i.valid_until IS NULL OR i.valid_until > :now)))
   AND (:category = '' OR i.category = :category) AND (:domain = '' OR i.domain = :domain)
   AND (:context = '' OR i.context = :context OR (:with_global = 1 AND i.context = 'global'))
   AND (:sensitive = -1 OR i.sensitive = :sensitive)
   AND (:unconfirmed = 0 OR (i.unconfirmed <> '' AND i.superseded_at IS NULL)) AND (:confirmed_only = 0 OR i.unconfirmed = '')
   AND (CAST(:since AS BIGINT) IS NULL OR i.valid_from >= CAST(:since AS BIGINT))
   AND (CAST(:until AS BIGINT) IS NULL OR i.valid_from < CAST(:until AS BIGINT))
   AND (:entity = '' OR EXISTS (SELECT 1 FROM item_entities ie JOIN entities e ON e.tenant = ie.tenant AND e.id = ie.entity_id
        JOIN entity_aliases a ON a.tenant = e.tenant AND a.entity_id = e.id
        WHERE ie.tenant = i.tenant AND ie.item_id = i.id AND a.folded = :entity));
-- items.due --
-- Open items due before a time and not yet reminded of since they fell due, soonest first.
SELECT * FROM items
 WHERE tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent) AND only_session IN ('', :session)
   AND superseded_at IS NULL AND muted = 0 AND (expires_at IS NULL OR expires_at > :now) AND (valid_until IS NULL OR valid_until > :now)
   AND due_at IS NOT NULL AND due_at <= :before AND (:overdue = 1 OR due_at >= :now)
   AND (reminded_at IS NULL OR (reminded_at < due_at AND due_at <= :now))
   AND (:context = '' OR context IN ('global', :context))
   AND (:with_sensitive = 1 OR sensitive = 0)
 ORDER BY due_at, id LIMIT :limit;
-- items.important --
-- Open items of exactly one user that hold and may stand in a profile, the most important first.
SELECT * FROM items
 WHERE tenant = :tenant AND user_id = :user AND agent IN ('', :agent) AND only_session = '' AND context IN ('global', :context)
   AND superseded_at IS NULL AND unconfirmed <> 'basis closed' AND muted = 0 AND sensitive = 0
   AND (expires_at IS NULL OR expires_at > :now) AND (valid_until IS NULL OR valid_until > :now)
   AND category IN ('fact', 'preference', 'skill', 'note', 'profile')
 ORDER BY CASE WHEN category = 'profile' THEN 0 ELSE 1 END, pinned DESC, tier DESC, uses DESC, confidence DESC, created_at, id LIMIT :limit;
-- items.standing --
-- The asker's own items of a category, and everybody's, that stand in every context, as known at a time, the surest of each first; none that a
-- document or tool says. Each half reads along its index.
SELECT * FROM (
  SELECT * FROM items
   WHERE tenant = :tenant AND user_id = :user AND category = :category
     AND agent IN ('', :agent) AND only_session IN ('', :session) AND context IN ('global', :context)
     AND tier > 0 AND recorded_at <= :known AND (superseded_at IS NULL OR superseded_at > :known) AND unconfirmed = ''
     AND muted = 0 AND sensitive = 0 AND (expires_at IS NULL OR expires_at > :now) AND (valid_until IS NULL OR valid_until > :now)
   ORDER BY confidence DESC, created_at, id LIMIT :limit
) AS own
 UNION ALL
SELECT * FROM (
  SELECT * FROM items
   WHERE tenant = :tenant AND user_id = '' AND :user <> '' AND category = :category
     AND agent IN ('', :agent) AND only_session IN ('', :session) AND context IN ('global', :context)
     AND tier > 0 AND recorded_at <= :known AND (superseded_at IS NULL OR superseded_at > :known) AND unconfirmed = ''
     AND muted = 0 AND sensitive = 0 AND (expires_at IS NULL OR expires_at > :now) AND (valid_until IS NULL OR valid_until > :now)
   ORDER BY confidence DESC, created_at, id LIMIT :limit
) AS shared;
-- items.pinned --
-- Pinned items of one owner that hold, the oldest first.
SELECT * FROM items
 WHERE tenant = :tenant AND user_id = :user AND pinned = 1
   AND agent IN ('', :agent) AND only_session IN ('', :session) AND context IN ('global', :context)
   AND superseded_at IS NULL AND muted = 0 AND sensitive = 0
   AND (expires_at IS NULL OR expires_at > :now) AND (valid_until IS NULL OR valid_until > :now)
 ORDER BY created_at, id LIMIT :limit;
-- items.stats --
-- What the asker's items that hold now add up to: those that items.list would page through.
SELECT count(*) AS total, coalesce(sum(uses), 0) AS retrievals, coalesce(sum(sensitive), 0) AS sensitive,
       coalesce(avg(confidence), 0.0) AS confidence, min(created_at) AS oldest, max(created_at) AS newest,
       coalesce(sum(CASE WHEN due_at IS NOT NULL AND due_at > :now AND due_at <= :soon THEN 1 ELSE 0 END), 0) AS upcoming,
       coalesce(sum(CASE WHEN due_at IS NOT NULL AND due_at <= :now THEN 1 ELSE 0 END), 0) AS overdue,
       coalesce(sum(CASE WHEN unconfirmed <> '' THEN 1 ELSE 0 END), 0) AS unconfirmed
  FROM items WHERE tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent) AND only_session IN ('', :session)
   AND (superseded_at IS NULL OR (closed_at > :now AND closed_at > superseded_at AND closed_at > recorded_at))
   AND (expires_at IS NULL OR expires_at > :now) AND (valid_until IS NULL OR valid_until > :now);
-- items.by_category --
-- Items that hold now by category.
SELECT category AS name, count(*) AS total FROM items
 WHERE tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent) AND only_session IN ('', :session)
   AND (superseded_at IS NULL OR (closed_at > :now AND closed_at > superseded_at AND closed_at > recorded_at))
   AND (expires_at IS NULL OR expires_at > :now) AND (valid_until IS NULL OR valid_until > :now)
 GROUP BY category ORDER BY total DESC, name;
-- items.by_context --
-- Items that hold now by context.
SELECT context AS name, count(*) AS total FROM items
 WHERE tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent) AND only_session IN ('', :session)
   AND (superseded_at IS NULL OR (closed_at > :now AND closed_at > superseded_at AND closed_at > recorded_at))
   AND (expires_at IS NULL OR expires_at > :now) AND (valid_until IS NULL OR valid_until > :now)
 GROUP BY context ORDER BY total DESC, name;
-- items.by_source --
-- Items that hold now by how they came to be.
SELECT source AS name, count(*) AS total FROM items
 WHERE tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent) AND only_session IN ('', :session)
   AND (superseded_at IS NULL OR (closed_at > :now AND closed_at > superseded_at AND closed_at > recorded_at))
   AND (expires_at IS NULL OR expires_at > :now) AND (valid_until IS NULL OR valid_until > :now)
 GROUP BY source ORDER BY total DESC, name;
-- items.per_day --
-- Items added on each day since a time; a day is counted from 1970, on a clock so much ahead of UTC.
SELECT (created_at + CAST(:ahead AS BIGINT)) / 86400000000 AS day, count(*) AS total FROM items
 WHERE tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent) AND only_session IN ('', :session) AND created_at >= :since
 GROUP BY day ORDER BY day;
-- turns.per_day --
-- Turns said on each day since a time; a day is counted from 1970, on a clock so much ahead of UTC.
SELECT (at + CAST(:ahead AS BIGINT)) / 86400000000 AS day, count(*) AS total FROM turns
 WHERE tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent) AND (shared = 0 OR session_id = :session) AND hidden_at IS NULL
   AND at >= :since
 GROUP BY day ORDER BY day;
-- items.of_user --
-- Every item of one user.
SELECT * FROM items WHERE tenant = :tenant AND user_id = :user ORDER BY id;
-- items.walk --
-- A page of what an asker sees of one user's items, closed ones too, as they were created.
SELECT * FROM items
 WHERE tenant = :tenant AND user_id = :user AND agent IN ('', :agent) AND only_session IN ('', :session)
   AND (created_at, id) > (:created_at, :after) ORDER BY created_at, id LIMIT :limit;
-- items.of_origin --
-- Every item that came from one document, page or import.
SELECT * FROM items WHERE tenant = :tenant AND origin = :origin AND origin <> '' ORDER BY id;
-- items.of_entity --
-- Every item linked to an entity.
SELECT i.* FROM items i JOIN item_entities ie ON ie.tenant = i.tenant AND ie.item_id = i.id
 WHERE ie.tenant = :tenant AND ie.entity_id = :entity_id ORDER BY i.id;
-- items.of_turn --
-- Every item derived from a turn.
SELECT i.* FROM items i JOIN item_sources s ON s.tenant = i.tenant AND s.item_id = i.id
 WHERE s.tenant = :tenant AND s.session_id = :session_id AND s.position = :position ORDER BY i.id;
-- items.never_confirmed --
-- Open items that nobody confirmed, unconfirmed since before a time.
SELECT * FROM items WHERE tenant = :tenant AND unconfirmed = 'never confirmed' AND superseded_at IS NULL AND unconfirmed_at <= :before
 ORDER BY id LIMIT :limit;
-- items.only_in --
-- Every item that belongs to one session alone.
SELECT * FROM items WHERE tenant = :tenant AND only_session = :id ORDER BY id;
-- items.after --
-- A page of all items of a tenant, by id.
SELECT * FROM items WHERE tenant = :tenant AND id > :after ORDER BY id LIMIT :limit;
-- items.expired --
-- Items past their expiry that are not archived.
SELECT * FROM items WHERE tenant = :tenant AND expires_at IS NOT NULL AND expires_at <= :now AND purge_at IS NULL ORDER BY id LIMIT :limit;
-- items.with_metadata --
-- The documents and metadata of the asker's items that have any, or with bare of all of them.
SELECT d.doc, i.metadata FROM items i JOIN docs d ON d.tenant = i.tenant AND d.kind = 'item' AND d.ref = i.id
 WHERE i.tenant = :tenant AND i.user_id IN ('', :user) AND i.agent IN ('', :agent) AND i.only_session IN ('', :session)
   AND (:bare = 1 OR i.metadata <> '{}');
-- items.with_domain --
-- The documents of the asker's items of one domain.
SELECT d.doc FROM items i JOIN docs d ON d.tenant = i.tenant AND d.kind = 'item' AND d.ref = i.id
 WHERE i.tenant = :tenant AND i.user_id IN ('', :user) AND i.agent IN ('', :agent) AND i.only_session IN ('', :session) AND i.domain = :domain;
-- items.with_entity --
-- The documents of the asker's items linked to an entity by any of its names, and how many entities each is linked to.
SELECT d.doc, i.id, (SELECT count(*) FROM item_entities n WHERE n.tenant = i.tenant AND n.item_id = i.id) AS entities
  FROM entity_aliases a
  JOIN entities e ON e.tenant = a.tenant AND e.id = a.entity_id
  JOIN item_entities ie ON ie.tenant = a.tenant AND ie.entity_id = a.entity_id
  JOIN items i ON i.tenant = ie.tenant AND i.id = ie.item_id
  JOIN docs d ON d.tenant = i.tenant AND d.kind = 'item' AND d.ref = i.id
 WHERE a.tenant = :tenant AND a.folded = :folded AND e.user_id IN ('', :user) AND e.agent IN ('', :agent)
   AND i.user_id IN ('', :user) AND i.agent IN ('', :agent) AND i.only_session IN ('', :session);
-- items.forget --
-- Erase one item.
DELETE FROM items WHERE tenant = :tenant AND id = :id;
-- items.unlink_successors --
-- Where an erased item was named as predecessor, name nothing.
UPDATE items SET supersedes = '' WHERE tenant = :tenant AND supersedes = :id AND supersedes <> '';
-- items.unlink_similar --
-- Where an erased item was named as similar, name nothing.
UPDATE items SET similar_to = '' WHERE tenant = :tenant AND similar_to = :id AND similar_to <> '';
-- items.linked --
-- The items that name one as similar.
SELECT * FROM items WHERE tenant = :tenant AND similar_to = :id AND similar_to <> '' ORDER BY recorded_at, id;
-- items.similar_links --
-- Open items of a partition that are linked as similar to another open one, and which that is; the newest first.
SELECT i.id, i.similar_to FROM items i JOIN items o ON o.tenant = i.tenant AND o.id = i.similar_to
 WHERE i.tenant = :tenant AND i.user_id = :user AND i.similar_to <> '' AND i.superseded_at IS NULL AND o.superseded_at IS NULL
   AND i.unconfirmed = '' AND o.unconfirmed = '' AND i.agent = o.agent AND i.context = o.context AND i.only_session = o.only_session
 ORDER BY i.recorded_at DESC, i.id DESC;
-- items.merged_into --
-- The items that gave way to one that was there already.
SELECT m.* FROM items m WHERE m.tenant = :tenant AND m.superseded_by = :id AND m.superseded_by <> ''
   AND NOT EXISTS (SELECT 1 FROM items n WHERE n.tenant = m.tenant AND n.id = m.superseded_by AND n.supersedes = m.id)
 ORDER BY m.recorded_at, m.id;
-- items.link_similar --
-- Name the item that one is similar to.
UPDATE items SET similar_to = :similar_to WHERE tenant = :tenant AND id = :id;
-- items.unlink_predecessor --
-- Where an erased item was named as successor, name nothing.
UPDATE items SET superseded_by = '' WHERE tenant = :tenant AND id = :predecessor AND superseded_by = :id;
-- item_sources.add --
-- Note that an item was derived from a turn.
INSERT INTO item_sources (tenant, item_id, session_id, position, again) VALUES (:tenant, :item_id, :session_id, :position, :again)
ON CONFLICT DO NOTHING;
-- item_sources.forget_again --
-- Erase an item's links to the turns that said it again.
DELETE FROM item_sources WHERE tenant = :tenant AND item_id = :item_id AND again = 1;
-- item_sources.drop --
-- Let an item no longer name a turn as its source.
DELETE FROM item_sources WHERE tenant = :tenant AND item_id = :item_id AND session_id = :session_id AND position = :position;
-- item_sources.forget --
-- Erase an item's links to turns.
DELETE FROM item_sources WHERE tenant = :tenant AND item_id = :item_id;
-- item_bases.add --
-- Note that an item was derived from another, or depends on it.
INSERT INTO item_bases (tenant, item_id, base_id) VALUES (:tenant, :item_id, :base_id) ON CONFLICT DO NOTHING;
-- items.of_base --
-- The items that rest on one, partition by partition.
SELECT i.* FROM item_bases b JOIN items i ON i.tenant = b.tenant AND i.id = b.item_id
 WHERE b.tenant = :tenant AND b.base_id = :base_id ORDER BY i.user_id, i.id;
-- item_bases.fallen --
-- Of what an item rests on, what no longer holds: closed, unconfirmed, or gone.
SELECT b.base_id FROM item_bases b LEFT JOIN items i ON i.tenant = b.tenant AND i.id = b.base_id
 WHERE b.tenant = :tenant AND b.item_id = :item_id AND (i.id IS NULL OR i.superseded_at IS NOT NULL OR i.unconfirmed <> '')
 ORDER BY b.base_id;
-- items.follow --
-- Name what an item took the place of.
UPDATE items SET supersedes = :supersedes WHERE tenant = :tenant AND id = :id;
-- item_bases.lend --
-- Let what rests on one item rest on another.
UPDATE item_bases SET base_id = :new_id WHERE tenant = :tenant AND base_id = :base_id;
-- items.misjudged --
-- Open items of a tenant whose basis is said to be closed though all that they rest on holds, or is not though something does not.
SELECT i.* FROM items i WHERE i.tenant = :tenant AND i.superseded_at IS NULL
   AND i.unconfirmed NOT IN ('never confirmed', 'source edited') AND (i.unconfirmed <> '' OR EXISTS (SELECT 1 FROM item_bases b WHERE b.tenant = i.tenant AND b.item_id = i.id))
   AND (i.unconfirmed = '') = EXISTS (SELECT 1 FROM item_bases b LEFT JOIN items o ON o.tenant = b.tenant AND o.id = b.base_id
        WHERE b.tenant = i.tenant AND b.item_id = i.id AND (o.id IS NULL OR o.superseded_at IS NOT NULL OR o.unconfirmed <> ''))
 ORDER BY i.recorded_at, i.id;
-- items.held --
-- One row if any of them still holds a piece of text, of all tenants.
SELECT 1 AS held FROM items WHERE replace(text, :piece, '') <> text
    OR replace(quote, :piece, '') <> quote
    OR replace(domain, :piece, '') <> domain
    OR replace(tags, :piece, '') <> tags
    OR replace(metadata, :piece, '') <> metadata
    OR replace(origin, :piece, '') <> origin
    OR replace(meant, :piece, '') <> meant LIMIT 1;
-- item_bases.forget --
-- Erase the links from an item to what it rests on.
DELETE FROM item_bases WHERE tenant = :tenant AND item_id = :item_id;
-- entities.add --
-- Make an entity known. Changes no row if its name is taken in this scope.
INSERT INTO entities (tenant, id, user_id, agent, name, created_at) VALUES (:tenant, :id, :user, :agent, :name, :created_at)
ON CONFLICT (tenant, user_id, agent, name) DO NOTHING;
-- entities.by_alias --
-- The entities of exactly this scope that go by a folded name, and how it is written.
SELECT e.*, a.alias AS called FROM entity_aliases a JOIN entities e ON e.tenant = a.tenant AND e.id = a.entity_id
 WHERE a.tenant = :tenant AND a.folded = :folded AND e.user_id = :user AND e.agent = :agent ORDER BY e.id, a.alias;
-- entities.seen_by_alias --
-- The names of the entities the asker may see that go by a folded name.
SELECT DISTINCT e.id, e.name FROM entity_aliases a JOIN entities e ON e.tenant = a.tenant AND e.id = a.entity_id
 WHERE a.tenant = :tenant AND a.folded = :folded AND e.user_id IN ('', :user) AND e.agent IN ('', :agent) ORDER BY e.id;
-- entities.get --
-- One entity the asker may see.
SELECT * FROM entities WHERE tenant = :tenant AND id = :id AND user_id IN ('', :user) AND agent IN ('', :agent);
-- entities.raw --
-- One entity, whoever asks: for the write path.
SELECT * FROM entities WHERE tenant = :tenant AND id = :id;
-- entities.list --
-- The asker's entities with the number of their open items, most used first; spoken_of is 0 where all its items were taken back as never
-- having been true. Sensitive items count only where with_sensitive is 1.
SELECT e.*, count(i.id) AS items, max(i.updated_at) AS last_used_at,
       CASE WHEN NOT EXISTS (SELECT 1 FROM item_entities l WHERE l.tenant = e.tenant AND l.entity_id = e.id)
              OR EXISTS (SELECT 1 FROM item_entities l JOIN items k ON k.tenant = l.tenant AND k.id = l.item_id
                  WHERE l.tenant = e.tenant AND l.entity_id = e.id AND (k.closed_at IS NULL OR k.superseded_by <> '' OR k.closed_at > k.valid_from)
                    AND (:with_sensitive = 1 OR k.sensitive = 0))
            THEN 1 ELSE 0 END AS spoken_of
  FROM entities e
  LEFT JOIN item_entities ie ON ie.tenant = e.tenant AND ie.entity_id = e.id
  LEFT JOIN items i ON i.tenant = ie.tenant AND i.id = ie.item_id AND i.superseded_at IS NULL AND (:with_sensitive = 1 OR i.sensitive = 0)
 WHERE e.tenant = :tenant AND e.user_id IN ('', :user) AND e.agent IN ('', :agent)
 GROUP BY e.tenant, e.id ORDER BY count(i.id) DESC, e.name, e.id LIMIT :limit;
-- entities.of_user --
-- Every entity of one user.
SELECT * FROM entities WHERE tenant = :tenant AND user_id = :user ORDER BY id;
-- entities.after --
-- A page of all entities of a tenant, by id.
SELECT * FROM entities WHERE tenant = :tenant AND id > :after ORDER BY id LIMIT :limit;
-- entities.rename --
-- Give an entity another name.
UPDATE entities SET name = :name WHERE tenant = :tenant AND id = :id;
-- entities.forget --
-- Erase an entity.
DELETE FROM entities WHERE tenant = :tenant AND id = :id;
-- entity_aliases.add --
-- Let an entity go by one more name.
INSERT INTO entity_aliases (tenant, entity_id, folded, alias) VALUES (:tenant, :entity_id, :folded, :alias) ON CONFLICT DO NOTHING;
-- entity_aliases.of_entity --
-- The names an entity goes by.
SELECT folded, alias FROM entity_aliases WHERE tenant = :tenant AND entity_id = :entity_id ORDER BY folded;
-- entity_aliases.move --
-- Hand a name over to another entity.
UPDATE entity_aliases SET entity_id = :target WHERE tenant = :tenant AND entity_id = :entity_id AND alias = :alias;
-- entity_aliases.drop --
-- Let an entity no longer go by a name.
DELETE FROM entity_aliases WHERE tenant = :tenant AND entity_id = :entity_id AND alias = :alias;
-- entity_aliases.forget --
-- Erase all names of an entity.
DELETE FROM entity_aliases WHERE tenant = :tenant AND entity_id = :entity_id;
-- item_entities.add --
-- Link an item to an entity by the name it used.
INSERT INTO item_entities (tenant, item_id, entity_id, alias) VALUES (:tenant, :item_id, :entity_id, :alias) ON CONFLICT DO NOTHING;
-- item_entities.of_entity --
-- The items linked to an entity, and by which name.
SELECT item_id, alias FROM item_entities WHERE tenant = :tenant AND entity_id = :entity_id ORDER BY item_id;
-- item_entities.rename --
-- Let items be linked to an entity by another name than they used.
UPDATE item_entities SET alias = :alias WHERE tenant = :tenant AND entity_id = :entity_id AND alias = :before;
-- item_entities.unlink --
-- Take one link away.
DELETE FROM item_entities WHERE tenant = :tenant AND item_id = :item_id AND entity_id = :entity_id;
-- item_entities.forget --
-- Take all links of an item away.
DELETE FROM item_entities WHERE tenant = :tenant AND item_id = :item_id;
-- copy.read_items --
-- A page of all items, in the order of their key, for moving a store.
SELECT tenant, id, user_id, agent, only_session, context, category, domain, text, escaped, tags, metadata, source, tier, origin, confidence,
       sensitive, pinned, muted, due_at, reminded_at, expires_at, valid_from, valid_until, closed_at, superseded_at, superseded_by,
       supersedes, similar_to, quote, quote_start, quote_end, unconfirmed, unconfirmed_at, confirmed_confidence, meant, masks, salt, created_at, updated_at, recorded_at, uses, last_used_at, helpful,
       harmful, decayed_at, purge_at
  FROM items WHERE (tenant, id) > (:tenant, :id) ORDER BY tenant, id LIMIT :limit;
-- copy.add_items --
-- One of the items, as it was.
INSERT INTO items (tenant, id, user_id, agent, only_session, context, category, domain, text, escaped, tags, metadata, source, tier, origin,
       confidence, sensitive, pinned, muted, due_at, reminded_at, expires_at, valid_from, valid_until, closed_at, superseded_at,
       superseded_by, supersedes, similar_to, quote, quote_start, quote_end, unconfirmed, unconfirmed_at, confirmed_confidence, meant, masks, salt, created_at, updated_at, recorded_at, uses,
       last_used_at, helpful, harmful, decayed_at, purge_at)
VALUES (:tenant, :id, :user_id, :agent, :only_session, :context, :category, :domain, :text, :escaped, :tags, :metadata, :source, :tier,
       :origin, :confidence, :sensitive, :pinned, :muted, :due_at, :reminded_at, :expires_at, :valid_from, :valid_until, :closed_at,
       :superseded_at, :superseded_by, :supersedes, :similar_to, :quote, :quote_start, :quote_end, :unconfirmed, :unconfirmed_at, :confirmed_confidence, :meant, :masks, :salt, :created_at, :updated_at,
       :recorded_at, :uses, :last_used_at, :helpful, :harmful, :decayed_at, :purge_at);
