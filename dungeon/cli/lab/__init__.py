"""The commands of the playtest lab, which make many worlds and tell what is in them."""
