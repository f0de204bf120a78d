"""The forms in which values and records come in and go out."""
