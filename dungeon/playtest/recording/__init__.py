"""Making worlds by the thousand, and keeping what they hold in one file."""
