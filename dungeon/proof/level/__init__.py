"""The rules about a level by itself, and what they read: its fields, its cells as flat arrays, and its puzzle of locks."""
