"""The catalogs of objects, and the symbols of drawings that ask for objects."""
