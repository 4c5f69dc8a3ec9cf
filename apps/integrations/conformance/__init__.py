"""Holds a community's backend against the protocol, from outside (contract §7)."""
