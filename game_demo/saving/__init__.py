"""Saved games: recordings of what the player did, which make the same game again.

A save could hold the state of the game, but then every component, entity and stream of chance would have to be written down and
read again, by every rule to come. A game is a pure function of (content, world's seed, commands), so the commands will do:
a save is a seed, and a line for each command, appended once the command is done. Hence

- whatever ends the program, by `kill -9` even, at most the command that was under way is lost;
- recording and replaying are the same as saving and resuming, by the same code;
- rules to come have nothing to do but to make what the player does commands (`game_demo.rules.turn`).

The price is that resuming plays the game again: 50 to 250 microseconds a turn and 20 milliseconds a level. A game that was won in 3,600 turns
is back in less than a second. And a save is good only for the very content and rules that it was made with: it says which. Where the rules
are others it is set aside, where the content is, it waits for that.

`recording` is what is written, `journal` writes it, `folder` is where it lies, `replaying` makes it a game again, `keeper` does all that
while games are played, and `morgue` and `scores` tell of those that are over.
"""
