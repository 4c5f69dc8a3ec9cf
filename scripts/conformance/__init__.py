"""The command line of the conformance run."""
