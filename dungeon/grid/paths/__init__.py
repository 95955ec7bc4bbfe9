"""Ways through a grid or a graph: shortest, longest, all of them, and where they narrow."""
