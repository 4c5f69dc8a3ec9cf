"""The tables integrations own, behind one import path."""

from apps.integrations.models.integration import Integration

__all__ = ["Integration"]
