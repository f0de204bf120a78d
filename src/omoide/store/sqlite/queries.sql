-- tables.count --
-- Rows by table: cells of its leaf pages, or of all its pages where rows are kept in the key's own tree.
SELECT s.name AS name, coalesce(sum(d.ncell), 0) AS count
  FROM sqlite_schema s JOIN pragma_table_list t ON t.schema = 'main' AND t.name = s.name
  JOIN dbstat d ON d.name = s.name AND (d.pagetype = 'leaf' OR (t.wr AND d.pagetype = 'internal'))
 WHERE s.type = 'table' GROUP BY s.name ORDER BY s.name;
