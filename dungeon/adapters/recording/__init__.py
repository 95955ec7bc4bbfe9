"""Levels as they are built: kept step by step, and animated."""
