"""Similarities of vectors: what the score of a document is, and how products become comparable with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rankgauge.engines.vectors.exact import root
from rankgauge.schema.checks import choice


class Similarity(NamedTuple):
    """How the product of a query with a document becomes a score.

    Where all documents are scored, the product is scaled and shifted by numbers of the document alone, and
    compared with the `inverse` of exact scores, which depends on the query alone.
    """

    name: str
    score: Callable[[Any, Any, Any], Any] | None  # of products and squared lengths of queries and documents
    scale: Callable[[Any], Any] | None  # of products, by the squared lengths of documents
    shift: Callable[[Any], Any] | None
    inverse: Callable[[Any, Any], Any]  # of scores, by the squared lengths of queries


def _cosine(product: Any, query: Any, document: Any) -> Any:
    lengths = root(query) * root(document)
    return product / (lengths + (lengths == 0))  # a vector of length 0 has products of 0


def _inverse_length(squared: Any) -> Any:
    return (squared + (squared == 0)) ** -0.5


SIMILARITIES = {
    each.name: each
    for each in (
        Similarity("dot", None, None, None, lambda score, _: score),
        Similarity("cosine", _cosine, _inverse_length, None, lambda score, query: score * query**0.5),
        Similarity(  # minus the squared distance
            "euclidean",
            lambda product, query, document: 2 * product - (query + document),
            None,
            lambda squared: squared / -2,
            lambda score, query: (score + query) / 2,
        ),
    )
}


def similarity_of(name: str) -> Similarity:
    """The similarity of this name."""
    return SIMILARITIES[choice("similarity", name, tuple(SIMILARITIES))]
