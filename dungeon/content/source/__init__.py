"""Source files: YAML with the place of every value, and problems in an author's words."""
