"""How many turns one web process keeps in flight, and what that costs."""
