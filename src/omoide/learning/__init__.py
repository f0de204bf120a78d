"""Learning: from talk to items, stage by stage."""
