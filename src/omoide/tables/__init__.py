"""One class per table family: records to rows and back, inside the caller's transaction."""
