"""A run that is made by the workers of a Dask scheduler, on as many machines as there are."""
