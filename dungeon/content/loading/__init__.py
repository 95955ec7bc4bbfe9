"""Loading: from folders of files, through a draft, to checked content."""
