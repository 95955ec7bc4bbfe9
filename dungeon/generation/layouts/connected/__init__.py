"""The layout `connected`: a map made of prefabs, joined connector to connector by hallways."""
