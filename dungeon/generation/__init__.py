"""Making levels: the stages, and the workshops that they call."""
