"""Profiles: what is known of a user, in a few lines."""
