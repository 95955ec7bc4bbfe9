"""What is derived from a frozen value is made once."""

from __future__ import annotations

from dungeon.core.frozen import Derived


def test_what_was_made_is_kept_until_enough_else_was() -> None:
    recent = Derived(2)
    made = []

    def ask(key: str) -> str:
        def make() -> str:
            made.append(key)
            return key.upper()

        return recent.once(key, make)

    assert [ask(key) for key in "abaabcbca"] == [*"ABAABCBCA"]
    assert "".join(made) == "abca"
