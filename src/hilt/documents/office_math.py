"""Formulas of Office on one line: a fraction is (a)/(b), a power x^2, and neither runs into its neighbour."""

from collections.abc import Callable, Mapping
from xml.etree.ElementTree import Element

from hilt.documents.package import attribute, child, local
from hilt.documents.raising import DOWN, UP, raised

DEEPEST = 40
"""Formulas inside one another that are told apart; what lies deeper is its text alone."""


def math_text(element: Element, depth: int = 0) -> str:
    """What a formula, or a part of one, says."""
    if depth > DEEPEST:
        return "".join(element.itertext())
    name = local(element)
    if name == "t":
        return element.text or ""
    if name.endswith("Pr"):
        return ""
    write = _WRITERS.get(name)
    return write(element, depth) if write else "".join(math_text(each, depth + 1) for each in element)


def _at(element: Element, name: str, depth: int) -> str:
    found = child(element, name)
    return math_text(found, depth + 1).strip() if found is not None else ""


def _sign(element: Element, name: str, otherwise: str) -> str:
    """A sign that a formula names in its properties; named and empty, there is none."""
    found = child(element, f"{local(element)}Pr", name)
    return attribute(found, "val") if found is not None else otherwise


def _grouped(text: str) -> str:
    return text if text.isalnum() else f"({text})"


def _fraction(element: Element, depth: int) -> str:
    over, under = _at(element, "num", depth), _at(element, "den", depth)
    return f"{_grouped(over)}/{_grouped(under)}"


def _scripts(element: Element, depth: int) -> str:
    below, above = _at(element, "sub", depth), _at(element, "sup", depth)
    ends = f"{raised(DOWN, below)}{raised(UP, above)}"
    base = _at(element, "e", depth)
    return f"{ends}{base}" if local(element) == "sPre" else f"{base}{ends}"


def _limit(element: Element, depth: int) -> str:
    mark = DOWN if local(element) == "limLow" else UP
    return f"{_at(element, 'e', depth)}{raised(mark, _at(element, 'lim', depth))}"


def _root(element: Element, depth: int) -> str:
    degree = _at(element, "deg", depth)
    return f"{f'root{raised(DOWN, degree)}' if degree else 'sqrt'}({_at(element, 'e', depth)})"


def _sum(element: Element, depth: int) -> str:
    ends = f"{raised(DOWN, _at(element, 'sub', depth))}{raised(UP, _at(element, 'sup', depth))}"
    return f"{_sign(element, 'chr', chr(0x222B))}{ends} {_at(element, 'e', depth)}"


def _fenced(element: Element, depth: int) -> str:
    inside = [math_text(each, depth + 1) for each in element if local(each) == "e"]
    between = _sign(element, "sepChr", "|").join(inside)
    return f"{_sign(element, 'begChr', '(')}{between}{_sign(element, 'endChr', ')')}"


def _matrix(element: Element, depth: int) -> str:
    rows = [[math_text(cell, depth + 1) for cell in row] for row in element if local(row) == "mr"]
    return f"[{'; '.join(', '.join(row) for row in rows)}]"


def _lines(element: Element, depth: int) -> str:
    return "; ".join(math_text(each, depth + 1) for each in element if local(each) == "e")


def _accent(element: Element, depth: int) -> str:
    return f"{_at(element, 'e', depth)}{_sign(element, 'chr', chr(0x302))}"


def _function(element: Element, depth: int) -> str:
    return f"{_at(element, 'fName', depth)} {_at(element, 'e', depth)}"


_WRITERS: Mapping[str, Callable[[Element, int], str]] = {
    "f": _fraction,
    **dict.fromkeys(("sSup", "sSub", "sSubSup", "sPre"), _scripts),
    **dict.fromkeys(("limLow", "limUpp"), _limit),
    "rad": _root,
    "nary": _sum,
    "d": _fenced,
    "m": _matrix,
    "eqArr": _lines,
    "acc": _accent,
    "func": _function,
}
