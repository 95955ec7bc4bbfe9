"""What robots do: a processor for each of their states, what makes them turn to another, and the moves that states share."""
