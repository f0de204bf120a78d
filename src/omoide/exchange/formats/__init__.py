"""The chat exports of other products, one module each."""
