"""Saved games: lists of the player's commands, which make the same game again.

A save could hold the state of the game. Then every component, entity and random stream would have to be written and read again,
and every new rule would have to care for that. But a game is a pure function of (content, world seed, commands). So a save is a
seed and a line for each command, appended when the command is done. Therefore

- if the program is killed, even by `kill -9`, at most the running command is lost;
- recording and replaying use the same code as saving and resuming;
- a new rule only has to make each player action a command (`game_demo.rules.turn`).

The price: resuming plays the game again, at 50 to 250 microseconds a turn and 20 milliseconds a level, so a game won in 3,600
turns is back in less than a second. And a save needs exactly the content and rules it was made with; it names them. A save of
other rules is set aside; a save of other content stays where it is.

`recording` is the format and the replay, `files` the folder and the writing, `keeper` saves games while they are played, and
`morgue` keeps finished games.
"""
