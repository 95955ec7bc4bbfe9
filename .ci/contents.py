"""Check which files are in the wheel and the sdist of a folder: ``python .ci/contents.py build/package/dist``."""

import re
import sys
import tarfile
import zipfile
from pathlib import Path

WHEEL = (
    *("dungeon/__init__.pyi", "dungeon/py.typed", "game_demo/py.typed", "game_demo/data/world.yaml"),
    *("dungeon/pages/glossary.md", "dungeon/pages/guide/maps.md", "dungeon/pages/language/drawings.md"),
    *("dist-info/licenses/LICENSE", "dist-info/entry_points.txt"),
)
SDIST = (
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE", "pyproject.toml"),
    *("data/world.yaml", "docs/conf.py", "docs/level.png", "tests/conftest.py", "benchmarks/README.md"),
)
NEVER = re.compile(
    r"__pycache__|\.pyc$|\.(pytest|mypy|ruff)_cache|\.hypothesis|\.venv|^build/|^dist/|\.save$|~$"
)
NOT_IN_WHEEL = re.compile(r"^(tests|docs|benchmarks|data)/")


def main(folder: Path) -> None:
    """Exit with a list of what is missing or should not be there."""
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    in_wheel = zipfile.ZipFile(wheel).namelist()
    with tarfile.open(sdist) as opened:
        in_sdist = [name.partition("/")[2] for name in opened.getnames()]
    wrong = [f"{wheel.name} lacks {each}" for each in WHEEL if not any(n.endswith(each) for n in in_wheel)]
    wrong += [f"{sdist.name} lacks {each}" for each in SDIST if each not in in_sdist]
    wrong += [
        f"{wheel.name} has {each}" for each in in_wheel if NEVER.search(each) or NOT_IN_WHEEL.search(each)
    ]
    wrong += [f"{sdist.name} has {each}" for each in in_sdist if NEVER.search(each)]
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{wheel.name}: {len(in_wheel)} files; {sdist.name}: {len(in_sdist)} files")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
