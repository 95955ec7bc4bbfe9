"""Placing modes: how an encounter comes to stand on a finished ground plan."""
