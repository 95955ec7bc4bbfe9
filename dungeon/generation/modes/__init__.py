"""The placing modes, one file each."""
