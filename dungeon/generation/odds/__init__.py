"""What the content says will be met how often: computed where that can be done, else drawn often; and what came of it."""
