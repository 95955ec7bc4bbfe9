"""The foundation of the library: errors, random streams, frozen values, registries and shared words."""
