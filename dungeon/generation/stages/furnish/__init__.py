"""Encounters come to stand on a level: who is asked for what, and who is placed where."""
