"""The development harness: Slack-style turns without Slack (contract §8.5)."""
