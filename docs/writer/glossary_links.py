"""The transform of the site that links words to the glossary. It is apart from `glossary`, so that tests need no Sphinx."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.addnodes import desc_signature, pending_xref
from sphinx.transforms import SphinxTransform

from writer.glossary import first_uses

NO_PROSE = (
    *(nodes.title, nodes.literal, nodes.literal_block, nodes.doctest_block, nodes.reference, nodes.raw),
    *(nodes.emphasis, nodes.thead, nodes.rubric, nodes.term, desc_signature, pending_xref),
)
"""Parts of a page whose words are not linked: headings, titles of articles, code, and links."""


class GlossaryLinks(SphinxTransform):
    """Make the first use of each word of the glossary on a page a link to its meaning."""

    default_priority = 800

    def apply(self, **_: Any) -> None:
        """Change the page, unless it is the glossary."""
        page = self.env.docname
        if page == "reference/glossary":
            return
        met: set[str] = set()
        for text in list(self.document.findall(nodes.Text)):
            if not _is_prose(text):
                continue
            pieces = [*first_uses(text.astext(), met)]
            if len(pieces) > 1:
                made = [_link(piece, term, page) if term else nodes.Text(piece) for piece, term in pieces]
                text.parent.replace(text, made)


def _is_prose(node: nodes.Node) -> bool:
    while node.parent is not None:
        node = node.parent
        if isinstance(node, NO_PROSE):
            return False
    return True


def _link(text: str, term: str, page: str) -> nodes.Node:
    shown = nodes.inline(text, text, classes=["xref", "std", "std-term"])
    return pending_xref(
        text,
        shown,
        refdomain="std",
        reftype="term",
        reftarget=term,
        refexplicit=True,
        refwarn=True,
        refdoc=page,
    )
