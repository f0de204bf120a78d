"""The way out: recall by four arms, rank, pack into a context."""
