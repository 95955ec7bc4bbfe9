"""Placing encounters on a finished ground plan: sites, spots, annexes, alterations, distances."""
