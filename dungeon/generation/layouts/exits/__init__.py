"""Where one comes in, and where the ways on are."""
