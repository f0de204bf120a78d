"""The verbs, in groups."""
