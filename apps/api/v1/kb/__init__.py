"""The routes below /kb: pages, sources, what is pushed, searching and linking (contract §12.2)."""
