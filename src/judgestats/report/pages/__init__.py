"""Pages: sections in their fixed order."""
