"""Prefabs: what drawings are made from, in every variant and every way they may lie."""
