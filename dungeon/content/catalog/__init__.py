"""Objects, and the symbols that ask for them."""
