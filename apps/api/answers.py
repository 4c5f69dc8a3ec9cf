"""Parts of answers that several operations share (contract §12.2)."""

from __future__ import annotations

from pydantic import BaseModel, Field


class Usage(BaseModel):
    """What the models behind an answer were asked, and what that cost."""

    llm_calls: int
    tokens: int
    cost_usd: float


class Image(BaseModel):
    """A picture that a tool handed over."""

    name: str
    content_type: str = Field(examples=["image/png"])
    base64: str
