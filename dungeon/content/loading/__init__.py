"""Loading: from a folder of files, by a draft, to checked content."""
