"""The workshop of authors: what content means, whether it is sound, and writing it down in other forms."""
