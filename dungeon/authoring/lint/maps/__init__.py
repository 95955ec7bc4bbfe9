"""What is doubtful about what maps ask for: their features, their dressing and their locks."""
