"""The edge to language models: chat, embeddings, and what they cost (contract §3)."""
