"""Vectors: the ranks of judged documents by counting documents whose vectors have a better score.

A score is defined in double precision (`counting`), and so does not depend on how a corpus is divided, on
the processor or on the libraries. The product of all queries with all documents is computed in faster
arithmetic, and decides wherever its error cannot matter; the few documents so near to a judged one that it
could are scored again (`counting`).
"""
