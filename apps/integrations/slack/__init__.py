"""Slack's Web API for the current tenant, through the real SDK (contract §8.2)."""
