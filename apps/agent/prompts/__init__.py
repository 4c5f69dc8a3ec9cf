"""What the model is told: texts, lines that depend on tools, and how both make a prompt (contract §4.5)."""
