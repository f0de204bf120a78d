"""Procedures: lessons from failures and recipes from successes."""
