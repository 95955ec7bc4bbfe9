"""The value grammar, and the types of fields that entries are made of."""
