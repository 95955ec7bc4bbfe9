"""What authors write, and the loader that checks it: YAML with places, values, objects, drawings, models."""
