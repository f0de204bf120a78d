-- edges.turns_of_sessions --
-- The turns of a JSON list of sessions.
SELECT session_id || '#' || position AS id FROM turns WHERE tenant = :tenant AND session_id IN (SELECT json_array_elements_text(CAST(:ids AS JSON)));
-- edges.items_of_sessions --
-- The items that are known only within a JSON list of sessions.
SELECT id FROM items WHERE tenant = :tenant AND only_session IN (SELECT json_array_elements_text(CAST(:ids AS JSON)));
-- edges.items_told_by_turns --
-- The items that any of a JSON list of turns, as [session, position], tells by itself.
SELECT i.id FROM json_array_elements(CAST(:ids AS JSON)) AS j(value)
  JOIN item_sources s ON s.tenant = :tenant AND s.session_id = j.value ->> 0 AND s.position = CAST(j.value ->> 1 AS BIGINT)
  JOIN items i ON i.tenant = s.tenant AND i.id = s.item_id WHERE s.again = 0 AND i.quote_start IS NULL AND i.source <> 'consolidation';
-- edges.items_made_of_turns --
-- The items that quote or sum up several turns, of which a JSON list has one, as [session, position].
SELECT i.id FROM json_array_elements(CAST(:ids AS JSON)) AS j(value)
  JOIN item_sources s ON s.tenant = :tenant AND s.session_id = j.value ->> 0 AND s.position = CAST(j.value ->> 1 AS BIGINT)
  JOIN items i ON i.tenant = s.tenant AND i.id = s.item_id WHERE s.again = 0 AND (i.quote_start IS NOT NULL OR i.source = 'consolidation');
-- edges.items_on_items --
-- The items that rest on one of a JSON list.
SELECT item_id AS id FROM item_bases WHERE tenant = :tenant AND base_id IN (SELECT json_array_elements_text(CAST(:ids AS JSON)));
-- edges.versions_of_items --
-- The items that are the wording before or after one of a JSON list.
SELECT id FROM items WHERE tenant = :tenant AND supersedes <> '' AND supersedes IN (SELECT json_array_elements_text(CAST(:ids AS JSON)))
 UNION SELECT supersedes AS id FROM items WHERE tenant = :tenant AND supersedes <> '' AND id IN (SELECT json_array_elements_text(CAST(:ids AS JSON)))
 UNION SELECT superseded_by AS id FROM items WHERE tenant = :tenant AND superseded_by <> '' AND id IN (SELECT json_array_elements_text(CAST(:ids AS JSON)));
-- edges.items_meaning_items --
-- The items that are meant to close one of a JSON list once they are confirmed.
SELECT id FROM items WHERE tenant = :tenant AND meant <> ''
   AND CASE WHEN meant <> '' THEN CAST(meant AS JSON) ->> 'ref' END IN (SELECT json_array_elements_text(CAST(:ids AS JSON)));
-- edges.entities_of_items --
-- The entities that a JSON list of items speaks of.
SELECT DISTINCT entity_id AS id FROM item_entities WHERE tenant = :tenant AND item_id IN (SELECT json_array_elements_text(CAST(:ids AS JSON)));
-- edges.reflections_of_sessions --
-- The reflections of a JSON list of sessions.
SELECT id FROM reflections WHERE tenant = :tenant AND only_session IN (SELECT json_array_elements_text(CAST(:ids AS JSON)));
-- edges.reflections_of_turns --
-- The reflections that rest on one of a JSON list of turns, as [session, position].
SELECT s.reflection_id AS id FROM json_array_elements(CAST(:ids AS JSON)) AS j(value)
  JOIN reflection_sources s ON s.tenant = :tenant AND s.session_id = j.value ->> 0 AND s.position = CAST(j.value ->> 1 AS BIGINT);
-- edges.digests_of_sessions --
-- The digests of a JSON list of sessions.
SELECT id FROM digests WHERE tenant = :tenant AND only_session IN (SELECT json_array_elements_text(CAST(:ids AS JSON)));
-- edges.digests_of_sources --
-- The versions of digests that were made from one of a JSON list of reflections or items.
SELECT digest_id AS id FROM digest_sources WHERE tenant = :tenant AND source IN (SELECT json_array_elements_text(CAST(:ids AS JSON)));
-- edges.later_digests --
-- The versions of digests that were written on from one of a JSON list.
SELECT n.id FROM digests d JOIN digests n ON n.tenant = d.tenant AND n.user_id = d.user_id AND n.agent = d.agent
   AND n.only_session = d.only_session AND n.context = d.context AND n.kind = d.kind AND n.version > d.version
 WHERE d.tenant = :tenant AND d.id IN (SELECT json_array_elements_text(CAST(:ids AS JSON))) AND d.kind <> 'profile';
-- edges.procedures_of_sources --
-- The procedures that were made of one of a JSON list of turns, sessions or procedures.
SELECT p.id FROM procedures p WHERE p.tenant = :tenant AND EXISTS (SELECT 1 FROM json_array_elements_text(CAST(p.sources AS JSON)) AS t(one) WHERE t.one IN (SELECT json_array_elements_text(CAST(:ids AS JSON))));
-- edges.procedures_before --
-- The procedures that gave way to one of a JSON list.
SELECT id FROM procedures WHERE tenant = :tenant AND superseded_by <> '' AND superseded_by IN (SELECT json_array_elements_text(CAST(:ids AS JSON)));
-- edges.proposals_of_sources --
-- The proposals that would close one of a JSON list of records, or were made of one.
SELECT p.id FROM proposals p WHERE p.tenant = :tenant AND ((p.target <> '' AND p.target IN (SELECT json_array_elements_text(CAST(:ids AS JSON))))
    OR ((p.item <> '' OR p.made <> '') AND p.session_id <> '' AND p.session_id IN (SELECT json_array_elements_text(CAST(:ids AS JSON))))
    OR EXISTS (SELECT 1 FROM json_array_elements_text(coalesce(CAST(CASE WHEN p.item = '' THEN '{}' ELSE p.item END AS JSON) -> 'source_turns', '[]')) AS t(one) WHERE t.one IN (SELECT json_array_elements_text(CAST(:ids AS JSON)))) OR EXISTS (SELECT 1 FROM json_array_elements_text(coalesce(CAST(CASE WHEN p.item = '' THEN '{}' ELSE p.item END AS JSON) -> 'bases', '[]')) AS t(one) WHERE t.one IN (SELECT json_array_elements_text(CAST(:ids AS JSON))))
    OR EXISTS (SELECT 1 FROM json_array_elements_text(coalesce(CAST(CASE WHEN p.made = '' THEN '{}' ELSE p.made END AS JSON) -> 'source_turns', '[]')) AS t(one) WHERE t.one IN (SELECT json_array_elements_text(CAST(:ids AS JSON)))) OR EXISTS (SELECT 1 FROM json_array_elements_text(coalesce(CAST(CASE WHEN p.made = '' THEN '{}' ELSE p.made END AS JSON) -> 'sources', '[]')) AS t(one) WHERE t.one IN (SELECT json_array_elements_text(CAST(:ids AS JSON)))));
-- edges.closings_said_by --
-- The proposals that only close something, which one of a JSON list of sessions, turns or items had wait.
SELECT DISTINCT p.id FROM proposals p
  LEFT JOIN changes c ON c.tenant = p.tenant AND c.record = p.id AND c.action = 'propose'
  LEFT JOIN revisions r ON r.tenant = c.tenant AND r.seq = c.seq
 WHERE p.tenant = :tenant AND p.item = '' AND p.made = ''
   AND (p.session_id IN (SELECT json_array_elements_text(CAST(:ids AS JSON))) OR c.session_id IN (SELECT json_array_elements_text(CAST(:ids AS JSON))) OR EXISTS (SELECT 1 FROM json_array_elements_text(coalesce(CAST(CASE WHEN coalesce(r.before, '') = '' THEN '{}' ELSE coalesce(r.before, '') END AS JSON) -> 'told', '[]')) AS t(one) WHERE t.one IN (SELECT json_array_elements_text(CAST(:ids AS JSON)))));
-- edges.proposals_of_sessions --
-- The proposals that were made in one of a JSON list of sessions.
SELECT id FROM proposals WHERE tenant = :tenant AND session_id IN (SELECT json_array_elements_text(CAST(:ids AS JSON)));
-- edges.tool_calls_of_sessions --
-- The calls of tools in a JSON list of sessions.
SELECT id FROM tool_calls WHERE tenant = :tenant AND session_id <> '' AND session_id IN (SELECT json_array_elements_text(CAST(:ids AS JSON)));
-- edges.jobs_of_sessions --
-- The jobs about a JSON list of sessions.
SELECT id FROM jobs WHERE tenant = :tenant AND session_id <> '' AND session_id IN (SELECT json_array_elements_text(CAST(:ids AS JSON)));
