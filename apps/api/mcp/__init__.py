"""The community's agent and knowledge for clients of the Model Context Protocol (contract §12.3)."""
