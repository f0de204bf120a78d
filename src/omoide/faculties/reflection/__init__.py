"""Reflections and the digests that condense them."""
