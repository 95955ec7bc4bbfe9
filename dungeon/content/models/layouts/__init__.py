"""What layouts have in common, as authors say it."""
