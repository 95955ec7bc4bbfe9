"""Making worlds by the thousand and recording them in one file."""
