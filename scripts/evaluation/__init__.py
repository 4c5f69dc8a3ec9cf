"""Measures how good Root's searches are, on the demo community or on any collection in BEIR layout."""
