"""The record of turns: what happened, in references and redacted arguments (contract §4.7)."""
