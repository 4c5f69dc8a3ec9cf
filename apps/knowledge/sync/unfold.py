"""Opens what a page shows only after a click, before all that is hidden is taken out (contract §11.1)."""

from __future__ import annotations

import lxml.html

_HEADS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "dt", "summary"})
_MAX_LINK_SHARE = 0.5
_MOST_HEX = 700
_PROTECTED = "/cdn-cgi/l/email-protection"


def unfold(tree: lxml.html.HtmlElement) -> None:
    """Answers of folded questions are read, the questions on buttons too, and mail addresses a proxy has masked."""
    named = {name for element in tree.iter() for name in str(element.get("aria-controls") or "").split()}
    for element in list(tree.iter()):
        if not isinstance(element.tag, str) or element.getparent() is None:
            continue
        if element.tag == "button" and _is_heading(element):
            element.drop_tag()
        elif _is_panel(element, named) and not _is_menu(element):
            element.attrib.pop("hidden", None)
            element.attrib.pop("style", None)
        elif element.get("data-cfemail") or _PROTECTED in str(element.get("href") or ""):
            _unmask(element)


def _is_heading(button: lxml.html.HtmlElement) -> bool:
    return any(parent.tag in _HEADS for parent in button.iterancestors())


def _is_panel(element: lxml.html.HtmlElement, named: set[str]) -> bool:
    return element.get("id") in named or element.get("role") in ("tabpanel", "region")


def _is_menu(element: lxml.html.HtmlElement) -> bool:
    """What is mostly links leads elsewhere."""
    words = len(str(element.text_content()).split())
    linked = sum(len(str(link.text_content()).split()) for link in element.iter("a"))
    return linked > words * _MAX_LINK_SHARE


def _unmask(element: lxml.html.HtmlElement) -> None:
    """The mask is another one with each visit, and behind it stands a fact."""
    href = str(element.get("href") or "")
    address = _address(str(element.get("data-cfemail") or href.partition("#")[2]))
    if not address:
        return
    if _PROTECTED in href:
        element.set("href", f"mailto:{address}")
    if element.get("data-cfemail"):
        for child in list(element):
            element.remove(child)
        element.text = address


def _address(masked: str) -> str:
    """The first byte is the key of all others."""
    try:
        key, *signs = bytes.fromhex(masked[:_MOST_HEX])
        address = bytes(sign ^ key for sign in signs).decode()
    except ValueError:
        return ""
    return address if "@" in address and address.isprintable() else ""
