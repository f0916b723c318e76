"""The pytest fixture `retrieval_gate`: a test fails if a run is worse than it may be.

    def test_retrieval(retrieval_gate):
        retrieval_gate("qrels.txt", search(), baseline="baseline.json", fail_if="nDCG@10 drops by 2%")

pytest imports this module whenever it starts, so it imports rankgauge only when the fixture is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rankgauge.model.scores import Scores


@pytest.fixture
def retrieval_gate() -> Callable[..., Scores]:
    """A function that evaluates a run and fails the test if a condition holds; it returns the scores.

    `baseline` is a file written by `rankgauge evaluate -q -o FILE.json`, or another run; `fail_if` has the
    conditions of `rankgauge compare --fail-if`. Other options are those of `rankgauge.evaluate`.
    """

    def check(
        qrels: Any, run: Any, *, fail_if: str | Sequence[str], baseline: Any = None, **options: Any
    ) -> Scores:
        __tracebackhide__ = True
        from rankgauge.comparison.baseline import failures

        scores, found = failures(qrels, run, fail_if=fail_if, baseline=baseline, **options)
        if found:
            pytest.fail("\n".join(found), pytrace=False)
        return scores

    return check
