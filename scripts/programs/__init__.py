"""What proves the programs' API: a served Root of its own, and what is run against it."""
