"""Contexts: what of memory goes into a prompt, and answers in words."""
