"""Every noun as a frozen record, with its errors. Nothing here knows a database or a model."""
