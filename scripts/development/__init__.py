"""Runs all of Root on one machine, with everything it needs."""
