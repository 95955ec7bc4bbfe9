"""The layout `patchwork`: zones side by side, each with a layout of its own."""
