"""The playtest lab: what the numbers of a content really do, over thousands of worlds."""
