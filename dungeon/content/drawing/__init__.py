"""Reading drawings, REXPaint's and those of text, and what their characters mean."""
