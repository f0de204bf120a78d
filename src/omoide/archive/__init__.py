"""Our own archive: JSON lines, open and documented, written whole or not at all, and loaded back
with identical recall.
"""
