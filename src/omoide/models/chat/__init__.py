"""Chat models: how they are asked, waited for, and read."""
