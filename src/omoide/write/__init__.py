"""The way in: ingest, then (with a model) extract and check; decide, apply, index."""
