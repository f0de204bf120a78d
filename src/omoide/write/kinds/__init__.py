"""The kinds of record that are written by the verbs themselves."""
