-- Each new item is written to fewer indexes: items_created begins with the columns of items_user. A
-- server can walk items_unconfirmed, as it plans by the values that are bound.
-- Safe while older code still runs: an index alone.
DROP INDEX items_user;
