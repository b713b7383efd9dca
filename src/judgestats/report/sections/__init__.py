"""Sections: one file each, facts to blocks, in the order of the page."""
