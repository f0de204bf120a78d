"""Faculties: what memory does beyond items, one folder a noun."""
