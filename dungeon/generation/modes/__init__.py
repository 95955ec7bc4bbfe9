"""The placing modes. Each finds spots for a prefab on rooms or caves, and draws the prefab there."""
