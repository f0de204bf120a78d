"""Omoide in the shapes that agent frameworks expect: one module a framework, over public verbs.

A module imports its framework when it is imported itself, and raises ``MissingExtra`` without it.
"""
