-- partitions.seq --
-- The change counter of a partition; no row while it is empty.
SELECT seq FROM partitions WHERE tenant = :tenant AND user_id = :user;
-- partitions.seen --
-- The change counters of the partitions that an asker searches, their own first; no row for an empty one.
SELECT user_id, seq FROM partitions WHERE tenant = :tenant AND user_id IN ('', :user) ORDER BY user_id DESC;
-- partitions.advance --
-- Move the counter on; the row stays locked until commit, so counters of one partition commit in order.
INSERT INTO partitions (tenant, user_id, seq) VALUES (:tenant, :user, 1)
ON CONFLICT (tenant, user_id) DO UPDATE SET seq = partitions.seq + 1
RETURNING seq;
-- docs.changed --
-- A page of the documents of a partition that were added or altered after a counter, the newest first: what a copy in memory lacks. Hidden turns are no part of it.
SELECT doc, kind, ref, part, agent, only_session, session_id, position, category, context, sensitive, muted,
       CASE WHEN unconfirmed = '' THEN 0 ELSE 1 END AS unconfirmed, at, recorded_at, valid_from, coalesce(valid_until, 9223372036854775807) AS valid_until,
       coalesce(closed_at, 9223372036854775807) AS closed_at, coalesce(superseded_at, 9223372036854775807) AS superseded_at,
       coalesce(expires_at, 9223372036854775807) AS expires_at, own, around, seq
  FROM docs WHERE tenant = :tenant AND user_id = :user AND seq > :since AND seq <= :until AND (seq < :until OR doc < :before)
   AND (kind <> 'turn' OR superseded_at IS NULL OR superseded_at > 0)
 ORDER BY seq DESC, doc DESC LIMIT :most;
-- docs.stamped --
-- Documents of a partition added or altered after a counter, in any order, by their numbers alone.
SELECT doc FROM docs WHERE tenant = :tenant AND user_id = :user AND seq > :since;
-- docs.same --
-- The latest items of a partition and category with the same words, found without the copy in memory.
SELECT ref FROM docs
 WHERE tenant = :tenant AND user_id = :user AND kind = 'item' AND category = :category AND own = :own ORDER BY doc DESC LIMIT 10;
-- docs.one_of_partition --
-- A document of a partition, if it has any.
SELECT doc FROM docs WHERE tenant = :tenant AND user_id = :user LIMIT 1;
-- docs.of_partition --
-- Every document of a partition, in the order they were added.
SELECT kind, ref, part FROM docs WHERE tenant = :tenant AND user_id = :user ORDER BY doc;
-- docs.said --
-- The items of a partition and category added or altered after a counter, in the order they were added first.
SELECT ref, own FROM docs
 WHERE tenant = :tenant AND user_id = :user AND seq > :since AND kind = 'item' AND category = :category ORDER BY doc;
-- docs.erased --
-- Documents of a partition erased, or hidden, after a counter, in any order.
SELECT doc FROM erased WHERE tenant = :tenant AND user_id = :user AND seq > :since
UNION ALL
SELECT doc FROM docs WHERE tenant = :tenant AND user_id = :user AND seq > :since AND kind = 'turn' AND superseded_at = 0;
-- vectors.changed --
-- A page of the vectors of one embedder in a partition that came after a counter, the newest first, as float32 bytes.
SELECT doc, vector, seq FROM vectors
 WHERE tenant = :tenant AND user_id = :user AND model = :model AND seq > :since AND seq <= :until AND (seq < :until OR doc < :before)
 ORDER BY seq DESC, doc DESC LIMIT :most;
