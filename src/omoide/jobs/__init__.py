"""Jobs: work that is queued, leased, tried again and done later."""
