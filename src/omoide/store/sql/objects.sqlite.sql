-- objects.listed --
-- Every table, index, trigger and view, in the order in which they were made.
SELECT type AS kind, name, tbl_name AS place, sql AS body FROM sqlite_schema;
