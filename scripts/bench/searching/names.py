"""The surfaces by name, for the command line, which needs no Django yet."""

from typing import Literal

SurfaceName = Literal["knowledge", "slack"]
