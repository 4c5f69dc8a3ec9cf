"""The root-int/1 protocol, seen from the platform (contract §7)."""
