"""Words in any language, time expressions and token counts: pure functions over strings."""
