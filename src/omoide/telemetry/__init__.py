"""Log lines and traces. Neither holds memory text."""
