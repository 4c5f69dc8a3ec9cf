"""Hybrid retrieval: lanes that rank by meaning and by words, fused by rank (contract §10)."""
