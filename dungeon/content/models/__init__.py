"""The shapes of content files: one model for each kind of entry."""
