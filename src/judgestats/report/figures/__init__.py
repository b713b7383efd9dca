"""Figures: one file each, inline SVG whose colours follow the page."""
