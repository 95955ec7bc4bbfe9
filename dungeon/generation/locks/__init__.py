"""Locks and keys: locking doors, the graph of areas behind locks, and placing keys so that every lock can be opened."""
