"""All the words a model is given, as one file that can be taken out, changed and put back (contract §4.5)."""
