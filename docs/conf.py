"""How the site is built: `sphinx-build -W docs site`."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "tcod-dungeon"
author = "the authors of tcod-dungeon"
version = release = version_of("tcod-dungeon")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "writer"]
exclude_patterns = ["writer", "static", "**.ipynb"]
suppress_warnings = ["ref.python"]  # where two classes have one name, a type in a signature leads to either

smartquotes = False  # options begin with two dashes

html_theme = "furo"
html_title = f"tcod-dungeon {release}"
html_show_copyright = False
html_show_sphinx = False
html_static_path = ["static"]
html_css_files = ["site.css"]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
napoleon_use_ivar = True
napoleon_use_rtype = False
python_display_short_literal_types = True
toc_object_entries_show_parents = "hide"
