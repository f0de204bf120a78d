"""Cutting marked spans out of text, in time linear in its length."""

from __future__ import annotations


def without(text: str, *tags: str) -> str:
    """The text without ``<tag>…</tag>`` spans, for each tag in turn; a span nobody closes stays."""
    for tag in tags:
        text = _without(text, f"<{tag}>", f"</{tag}>")
    return text


def inside(text: str, tag: str) -> str | None:
    """What stands in the first ``<tag>…</tag>``, without outer spaces; None if there is none."""
    start = text.find(f"<{tag}>")
    end = text.find(f"</{tag}>", start + 1)
    return text[start + len(tag) + 2 : end].strip() if 0 <= start < end else None


def _without(text: str, opening: str, closing: str) -> str:
    kept: list[str] = []
    at = 0
    while (start := text.find(opening, at)) >= 0 and (end := text.find(closing, start)) >= 0:
        kept.append(text[at:start])
        at = end + len(closing)
    return "".join((*kept, text[at:]))
