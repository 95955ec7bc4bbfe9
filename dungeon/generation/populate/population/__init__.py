"""What a map has of its own beside its encounters, and what these scatter: things, groups, patrols, machines."""
