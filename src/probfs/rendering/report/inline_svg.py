"""A figure of matplotlib as part of a page: no styles of its own, and the page's colours, light or dark."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from probfs.rendering.figures.compose import Drawing
from probfs.rendering.figures.files import figure_file, file_style
from probfs.rendering.figures.style import choose_palette
from probfs.text import printable

if TYPE_CHECKING:
    from markupsafe import Markup

_NAMESPACE = re.compile(r"^\{[^}]*\}")
_REFERENCE = re.compile(r"#([\w.-]+)")
_UNWANTED = ("metadata", "style", "title")
_COORDINATES = ("d", "x", "y")
_SHIFT = re.compile(r"translate\((?P<x>-?[\d.]+) (?P<y>-?[\d.]+)\)")


def inline_figure(drawing: Drawing, title: str, description: str) -> Markup:
    """Draw, and give an element for a page: texts are shapes in it, and ``description`` says what they show."""
    from markupsafe import Markup

    # The page has a title, which the figure need not repeat.
    content = figure_file(replace(drawing, title=()), "svg")
    with file_style():
        palette = asdict(choose_palette())
    names = {color: name for name, color in palette.items()} | {"#000000": "ink", "#ffffff": "paper"}
    # The text of an element is escaped as it is written.
    return Markup(inline_svg(content, title, description, names))  # noqa: S704


def inline_svg(content: bytes, title: str, description: str, colors: dict[str, str]) -> str:
    """An SVG file as an element: declarations of style become attributes, which a page that forbids inline styles
    allows, and ``colors`` become classes (``fill-ink``, ``stroke-ink``), to which the page gives its own colours.
    """
    root = ElementTree.fromstring(content)  # noqa: S314  # only what matplotlib wrote here
    referenced = [name for element in root.iter() for own in element.attrib.items() for name in _names_in(*own)]
    page_names = {name: f"f{number}" for number, name in enumerate(dict.fromkeys(referenced))}
    _simplify(root, page_names, colors)
    size = root.attrib["viewBox"]
    root.attrib = {"viewBox": size, "role": "img", "aria-labelledby": "figure-title figure-text", "class": "drawing"}
    for name, text in (("text", description), ("title", title)):
        element = ElementTree.Element("desc" if name == "text" else "title", {"id": f"figure-{name}"})
        element.text = printable(text)
        root.insert(0, element)
    return ElementTree.tostring(root, encoding="unicode")


def _simplify(element: ElementTree.Element, page_names: dict[str, str], colors: dict[str, str]) -> None:
    element.tag = _NAMESPACE.sub("", element.tag)
    element.tail = None
    if element.text is not None and not element.text.strip():
        element.text = None
    element.attrib = _attributes(element.attrib, page_names, colors)
    if element.tag == "use":
        _shorten_shift(element.attrib)
    for child in list(element):
        if _NAMESPACE.sub("", child.tag) in _UNWANTED:
            element.remove(child)
        else:
            _simplify(child, page_names, colors)


def _shorten_shift(attributes: dict[str, str]) -> None:
    """Write where a glyph stands in fewer letters: most of a figure are glyphs."""
    found = _SHIFT.fullmatch(attributes.get("transform", ""))
    if found is not None and not {"x", "y"} & set(attributes):
        del attributes["transform"]
        attributes |= {name: _shortened(found[name]) for name in ("x", "y") if float(found[name])}


def _attributes(given: dict[str, str], page_names: dict[str, str], colors: dict[str, str]) -> dict[str, str]:
    given = {_NAMESPACE.sub("", name): value for name, value in given.items()}
    for declaration in given.pop("style", "").split(";"):
        name, _, value = declaration.partition(":")
        if name.strip():
            given[name.strip()] = value.strip()
    # Elements that nothing refers to need no name; the others must not have one that the page has too.
    own_name = page_names.get(given.pop("id", ""))
    attributes = {} if own_name is None else {"id": own_name}
    classes = [f"{paint}-{colors[given.pop(paint)]}" for paint in ("fill", "stroke") if given.get(paint) in colors]
    if classes:
        attributes["class"] = " ".join(classes)
    for name, value in given.items():
        for referenced in _names_in(name, value):
            value = value.replace(f"#{referenced}", f"#{page_names[referenced]}")
        attributes[name] = _shortened(value) if name in _COORDINATES else value
    return attributes


def _names_in(name: str, value: str) -> list[str]:
    """The elements that an attribute refers to; a colour is written alike."""
    is_reference = name.endswith("href") or "url(#" in value
    return _REFERENCE.findall(value) if is_reference else []


def _shortened(coordinates: str) -> str:
    """Coordinates in hundredths of a point, without line ends.

    >>> _shortened("M 0.123456 314 \\nL 12.0 1e-05")
    'M 0.12 314 L 12 0'
    """
    return " ".join(_shortened_number(word) for word in coordinates.split())


def _shortened_number(word: str) -> str:
    try:
        return f"{float(word):.2f}".rstrip("0").rstrip(".")
    except ValueError:
        return word
