"""Version 1 of the REST API, one resource a file."""
