"""Rerankers: which of some candidates answers a question best."""
