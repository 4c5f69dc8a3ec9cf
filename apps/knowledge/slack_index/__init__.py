"""The index of a community's public Slack talk (contract §2.5, §10.3)."""
