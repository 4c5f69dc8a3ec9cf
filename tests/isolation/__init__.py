"""No row, text or tier of one community reaches another, whatever runs at the same time."""
