"""The Postgres engine: one schema of a database, for any number of processes and machines."""
