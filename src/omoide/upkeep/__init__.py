"""Work done later, off the request path."""
