"""Layouts: the ground plans that maps are made of."""
