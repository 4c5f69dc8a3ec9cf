"""English: 24 hours, the month in letters, as nobody misreads."""
