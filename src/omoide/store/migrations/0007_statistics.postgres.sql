-- Postgres gathers its planner's statistics by itself; these are its first.
ANALYZE;
