"""The layout `tunnels`: corridors that tunnelers dig, with rooms along them."""
