"""The models of content files: one for each type of entry."""
