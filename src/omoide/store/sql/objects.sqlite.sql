-- objects.listed --
-- Every table, index, trigger and view by name, but what SQLite makes for itself.
SELECT type AS kind, name, tbl_name AS place, sql AS body FROM sqlite_schema
 WHERE NOT (type = 'table' AND name IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4'))
   AND NOT (type = 'index' AND sql IS NULL)
 ORDER BY kind, name;
