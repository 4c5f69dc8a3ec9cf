"""What searches cost, and what their approximations miss."""
