"""The operators' admin (contract §14.1)."""
