"""Grounding: whether a statement is what its source says. Pure: no store, no model, no clock."""
