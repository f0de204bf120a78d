"""The search index in memory: words and vectors of hot partitions."""
