"""What authors write: marks, values, models, drawings, and the loader that checks them."""
