"""Matters that wait for a person: how they are opened, and who is told (contract §2.4, §15.2)."""
