"""Checks that counting and retrieving share."""

from __future__ import annotations

from rankgauge.errors import InputError, OptionError
from rankgauge.evaluation.dense.documents import Documents
from rankgauge.formats.problems import quote


def check_dimensions(**sizes: int) -> None:
    """Raise an error if vectors of several kinds differ in how many numbers they have."""
    if len({*sizes.values()}) > 1:
        found = ", ".join(f"{kind.replace('_', ' ')} {size}" for kind, size in sizes.items())
        raise InputError(f"vectors must have as many numbers each; there are: {found}")


def require_ids(part: Documents) -> None:
    """Raise an error if the documents of a part of a corpus have no ids: every part would begin with 0."""
    if part.are_numbered:
        raise OptionError(
            "the documents of a part of a corpus need ids, which differ from those of other parts; pass "
            "doc_ids, such as range(1000, 2000)"
        )


def not_finite(what: str, identifier: str | bytes) -> InputError:
    """The error for a query or a document with numbers that cannot be computed with."""
    return InputError(
        f"the vector of {what} {quote(identifier)} has numbers that are not finite, or too large; scores "
        f"need finite numbers: mend or leave out the {what}"
    )
