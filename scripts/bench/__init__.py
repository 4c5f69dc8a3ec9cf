"""Measurements of Root, each a command of its own."""
