"""Review: what waits for a person's decision, and the decisions."""
