"""Sources into pages: fetching, reading, cleaning, storing, and the runs that do it (contract §11)."""
