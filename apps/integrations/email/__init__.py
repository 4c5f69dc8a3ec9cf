"""Mail going out (contract §8.3)."""
