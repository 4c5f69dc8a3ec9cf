"""The web chat: a page, a plain route and a stream (contract §8.4)."""
