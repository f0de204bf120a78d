"""Saved searches: questions with their filters, kept by name to be asked again."""
