"""Texts that strangers choose for names and type into fields, each to break something.

They are of kinds (markup.py, formats.py, characters.py), one for each place where a text may become more than text and each way in which it may
look like another. `make test` takes one of each kind and a few more, `make endurance` all. As a program this checks what the tests rely on.
"""

import sys
from dataclasses import dataclass

sys.dont_write_bytecode = True

import characters  # noqa: E402
import formats  # noqa: E402
import markup  # noqa: E402


@dataclass(frozen=True)
class Hostile:
    name: str
    kind: str
    text: str
    # Its number among those of its kind.
    number: int


_KINDS = {**markup.KINDS, **formats.KINDS, **characters.KINDS}
_ALL = [
    Hostile(name, kind, text, number) for kind, named in _KINDS.items() for number, (name, text) in enumerate(named)]

# What `make test` takes: of every kind.
_FIRST = {
    "element", "script", "attribute", "svg in mathml", "character references", "script address", "address of another site", "json", "section", "two lines", "address with a quote", "formula behind a line", "line of a log", "query", "two dots", "format", "deep array", "zero byte", "override", "right to left", "nothing that shows", "separators of lines", "joiner first U+200D", "marks",
    "enclosing marks", "signs that bind", "emoji", "lone surrogate", "overlong quote", "signs by compatibility", "turkish", "slashes",
    "one long word"}

# What may want more room than there is, or push other text away: every page with one of these is shown, at every width.
BULKY = {
    "two lines", "override", "isolates", "right to left", "nothing that shows", "marks", "enclosing marks", "one long word", "emoji"}
BULKY_KINDS = {"lengths"}

# What is tried in the console too where not all is: mark-up, templates, lines, directions, what does not show, what no line breaks within, and what
# is no text.
OF_CONSOLE = {
    "script", "attribute", "section", "two lines", "override", "nothing that shows", "enclosing marks", "lone surrogate"}

# In the long form each place shows one of so many texts of a kind, and the parser alone reads the others (docs/decisions/0501). No kind has fewer.
STRIDE = 16


def texts(everything):
    return _ALL if everything else [hostile for hostile in _ALL if hostile.name in _FIRST]


def faults():
    """What the tests rely on, and is not so."""
    for kind, named in _KINDS.items():
        if len(named) < STRIDE:
            yield f"{kind}: {len(named)} texts, and a place shows one of {STRIDE}"
        if not _FIRST & {name for name, _ in named}:
            yield f"{kind}: none is of the first"
    if len(_ALL) < 500:
        yield f"{len(_ALL)} texts, and not 500"
    names, said = {}, {}
    for hostile in _ALL:
        other = names.setdefault(hostile.name, hostile)
        if other is not hostile:
            yield f"{hostile.name}: of {other.kind} and of {hostile.kind}"
        other = said.setdefault(hostile.text, hostile)
        if other is not hostile:
            yield f"{hostile.name}: the text of {other.name}"
    for name in (_FIRST | BULKY | OF_CONSOLE) - set(names):
        yield f"{name}: no text has this name"


if __name__ == "__main__":
    found = list(faults())
    print("\n".join(found) or f"{len(_ALL)} hostile texts of {len(_KINDS)} kinds, all different")
    sys.exit(1 if found else 0)
