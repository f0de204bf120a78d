"""Every setting: read once, checked, and turned into typed policies."""
