"""Source text: files and YAML with the place of every value, and what is wrong with it in an author's words."""
