"""What stands on a level as entities: their components, and stores of them: esper, tcod-ecs."""
