-- items.latest_updated --
-- The first ids of items.list in one user's partition, updated last first: read in the order of an index, so that nothing is sorted.
SELECT i.id, i.updated_at AS at, i.created_at FROM items i
 WHERE i.tenant = :tenant AND i.user_id = :user AND i.agent IN ('', :agent) AND i.only_session IN ('', :session)
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
 ORDER BY i.updated_at DESC, i.created_at DESC, i.id DESC LIMIT :limit;
-- items.first_updated --
-- The first ids of items.list in one user's partition, updated first first: read in the order of an index, so that nothing is sorted.
SELECT i.id, i.updated_at AS at, i.created_at FROM items i
 WHERE i.tenant = :tenant AND i.user_id = :user AND i.agent IN ('', :agent) AND i.only_session IN ('', :session)
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
 ORDER BY i.updated_at, i.created_at, i.id LIMIT :limit;
-- items.latest_created --
-- The first ids of items.list in one user's partition, created last first: read in the order of an index, so that nothing is sorted.
SELECT i.id, i.created_at AS at, i.created_at FROM items i
 WHERE i.tenant = :tenant AND i.user_id = :user AND i.agent IN ('', :agent) AND i.only_session IN ('', :session)
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
 ORDER BY i.created_at DESC, i.id DESC LIMIT :limit;
-- items.first_created --
-- The first ids of items.list in one user's partition, created first first: read in the order of an index, so that nothing is sorted.
SELECT i.id, i.created_at AS at, i.created_at FROM items i
 WHERE i.tenant = :tenant AND i.user_id = :user AND i.agent IN ('', :agent) AND i.only_session IN ('', :session)
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
 ORDER BY i.created_at, i.id LIMIT :limit;
