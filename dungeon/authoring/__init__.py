"""Functions for authors of content: read and check it, explain and sample prefabs, export them, write schemas."""
