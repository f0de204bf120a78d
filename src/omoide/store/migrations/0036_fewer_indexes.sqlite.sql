-- Each new item is written to fewer indexes: items_created begins with the columns of items_user, and no
-- query walks items_unconfirmed. Safe while older code still runs: indexes alone.
DROP INDEX items_user;
DROP INDEX items_unconfirmed;
-- So that the planner reads all items of a user in the order in which they came, as they lie in the
-- table, and neither by how sure they are nor by their changes.
UPDATE sqlite_stat1 SET stat = '1000000 100000 1100 100 10 2 1' WHERE idx = 'items_standing';
UPDATE sqlite_stat1 SET stat = '1000000 100000 1100 2 1 1' WHERE idx = 'items_updated';
ANALYZE sqlite_schema;
