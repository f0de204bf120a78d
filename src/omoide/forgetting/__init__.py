"""Forgetting: what is meant, what goes with it, the erasure and its receipt; and undo."""
