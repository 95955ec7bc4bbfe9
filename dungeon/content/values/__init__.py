"""The one grammar of values that an author may leave to chance, and the fields that take them."""
