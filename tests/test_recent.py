"""What was made last is made once."""

from __future__ import annotations

from dungeon.core.recent import Recent


def test_what_was_made_is_kept_until_enough_else_was() -> None:
    recent: Recent[str, str] = Recent(2)
    made = []

    def ask(key: str) -> str:
        def make() -> str:
            made.append(key)
            return key.upper()

        return recent.get(key, make)

    assert [ask(key) for key in "abaabcbca"] == [*"ABAABCBCA"]
    assert "".join(made) == "abca"
