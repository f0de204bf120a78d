"""The SQLite engine: one file, durable group commits, snapshots for readers."""
