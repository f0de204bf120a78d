"""A user's items as a folder of Markdown files, to be read and corrected in an editor."""
