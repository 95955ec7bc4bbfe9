"""Dressing: lakes, rivers, chasms, patches, rubble, cracks and lights, laid over a map whose encounters are in place."""
