"""The commands for whoever writes content: what is wrong with its files, what they mean, and what can be written into them."""
