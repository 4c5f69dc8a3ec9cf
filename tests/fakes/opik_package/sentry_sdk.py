"""Stands for a package that Opik brings."""
