"""Reading drawings: .xp files of REXPaint and text drawings, and the meaning of their characters."""
