-- objects.listed --
-- Every trigger, rule, view and function of the schema that could change what a statement means, but those of extensions.
SELECT 'trigger' AS kind, t.tgname::text AS name, c.relname::text AS place,
       CASE WHEN t.tgenabled = 'D' THEN 'disabled' ELSE p.proname::text END AS body
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
 WHERE c.relnamespace = current_schema()::regnamespace AND NOT t.tgisinternal
UNION ALL
SELECT 'rule', r.rulename::text, c.relname::text, '' FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
 WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind NOT IN ('v', 'm')
UNION ALL
SELECT 'view', c.relname::text, c.relname::text, '' FROM pg_class c
 WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('v', 'm')
   AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
UNION ALL
SELECT 'function', p.proname::text, p.proname::text, p.prosrc FROM pg_proc p
 WHERE p.pronamespace = current_schema()::regnamespace
   AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
 ORDER BY 1, 2;
