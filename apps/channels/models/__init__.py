"""What the channels remember beside the conversation itself (contract §2.1)."""

from apps.channels.models.logs import EmailLog, SlackLog

__all__ = ["EmailLog", "SlackLog"]
