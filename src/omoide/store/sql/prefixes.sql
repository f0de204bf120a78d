-- prefixes.item --
-- The first ids in a range of the items that an asker sees.
SELECT id FROM items
 WHERE tenant = :tenant AND id >= :start AND id < :end
   AND user_id IN ('', :user) AND agent IN ('', :agent) AND only_session IN ('', :session)
 ORDER BY id LIMIT :limit;
-- prefixes.proposal --
-- The first ids in a range of the proposals that an asker sees.
SELECT id FROM proposals
 WHERE tenant = :tenant AND id >= :start AND id < :end AND user_id IN ('', :user) AND agent IN ('', :agent)
   AND (only_session = '' OR user_id <> '' OR only_session = :session)
 ORDER BY id LIMIT :limit;
-- prefixes.procedure --
-- The first ids in a range of the procedures that an asker sees.
SELECT id FROM procedures
 WHERE tenant = :tenant AND id >= :start AND id < :end AND user_id IN ('', :user) AND agent IN ('', :agent)
 ORDER BY id LIMIT :limit;
-- prefixes.change --
-- The first ids in a range of the changes of records that an asker sees, or that are gone and were their user's or nobody's.
SELECT c.id FROM changes c
 WHERE c.tenant = :tenant AND c.id >= :start AND c.id < :end AND c.user_id IN ('', :user)
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
        AND (s.agent NOT IN ('', :agent) OR (s.shared = 1 AND s.id <> :session)))
 ORDER BY c.id LIMIT :limit;
