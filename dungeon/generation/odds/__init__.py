"""How often each encounter is drawn: exact where it can be computed, else sampled; and what levels really contain."""
