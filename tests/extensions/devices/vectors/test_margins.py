"""Margins by torch: what they decide is right, and they leave little open."""

import numpy as np
import pytest

from rankgauge.extensions.devices.vectors import counting as exact
from rankgauge.extensions.devices.vectors.counting import SINGLE, Limits, ScoredPairs, similarity_of

torch = pytest.importorskip("torch")

from rankgauge.extensions.devices.vectors.torch_arithmetic import (  # noqa: E402  # noqa: E402
    FoldedMargins,
    LayeredMargins,
    places_of,
    row_counts,
)

DEVICES = [
    "cpu",
    pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")),
]


def made(dtype, dim, scale=1.0, device="cpu"):
    """(queries, documents, query, document, exact scores of all, limits)."""
    torch.manual_seed(dim)
    sizes = torch.rand(40, 1) * 3 + 0.1  # queries of different lengths
    queries, documents = torch.randn(40, dim) * sizes * scale, torch.randn(496, dim)
    documents[400:] = documents[:96]
    queries, documents = (each.to(dtype).to(device) for each in (queries, documents))
    rng = np.random.default_rng(dim)
    query, document = np.sort(rng.integers(0, 40, 90)), rng.integers(0, 496, 90)
    q, d = (each.double().cpu().numpy() for each in (queries, documents))
    scores = np.array([exact.dots(np.repeat(row[None], len(d), axis=0), d.copy()) for row in q])
    score = scores[query, document]
    scored = ScoredPairs(query, score, (q**2).sum(1)[query], dim, similarity_of("dot"), False)
    return queries, documents, query, scores[query], score, scored.limits(SINGLE, (d**2).sum(1))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dim", [3, 16, 61, 64, 768])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("folded", [True, False])
def test_what_margins_decide_is_right(folded, dtype, dim, device):
    queries, documents, query, scores, score, limits = made(dtype, dim, device=device)
    if folded:
        if dtype not in (torch.float16, torch.bfloat16):
            pytest.skip("limits are in pieces of 16 bits")
        assert FoldedMargins.can(queries, limits)
        margins = FoldedMargins(queries, query, limits)
    else:
        of = torch.float64 if dtype == torch.float64 else torch.float32
        margins = LayeredMargins(queries.to(of), of, query, limits)
    reached, between = np.zeros((2, *scores.shape), dtype=bool)
    for some in (slice(0, 248), slice(248, 255), slice(255, 496)):
        for pairs, *of_some in margins.compared(documents, some):
            pairs = pairs.cpu().numpy()
            for masks, mask in zip((reached, between), of_some, strict=True):
                masks[pairs, some] = mask.cpu().numpy()
    better = scores > score[:, None]
    assert better[reached & ~between].all()
    assert (scores < score[:, None])[~reached].all()
    assert not (between & ~reached).any()
    distance = np.abs(scores - score[:, None]) / (limits.high - limits.low)[:, None]
    assert distance[between].max() < 4  # what is left open is near
    assert between[scores == score[:, None]].all()


def test_limits_that_have_no_pieces_are_not_folded():
    queries, *_, limits = made(torch.float16, 32)
    ones = torch.ones(496)
    assert FoldedMargins.can(queries, limits)
    assert FoldedMargins.can(queries, limits._replace(high=np.full(90, np.inf)))
    for change in (
        {"scale": ones},
        {"shift": ones},
        {"low": np.full(90, -np.inf)},
        {"low": np.full(90, 4e4)},
    ):
        assert not FoldedMargins.can(queries, limits._replace(**change))
    *_, tiny = made(torch.float32, 32, scale=1e-8)
    assert not FoldedMargins.can(queries, tiny)  # narrower than what 16 bits tell apart
    assert FoldedMargins.can(queries.bfloat16(), tiny)


def test_open_limits_leave_everything_open():
    queries, documents, query, *_ = made(torch.float32, 8)
    everything = np.full(90, np.inf)
    margins = LayeredMargins(queries, torch.float32, query, Limits(-everything, everything, None, None))
    for _, reached, between in margins.compared(documents, slice(None)):
        assert reached.all()
        assert between.all()


@pytest.mark.parametrize("dim", [1, 5, 63, 64, 65, 128, 200, 768])
def test_exact_products_are_added_up_in_the_same_order(dim):
    torch.manual_seed(dim)
    a, b = (torch.randn(50, dim).half() * 100 for _ in range(2))
    assert torch.equal(exact.sums_of(a.float() * b.float()), exact.dots(a.double(), b.double()))


@pytest.mark.parametrize("columns", [1, 7, 8, 247, 248, 496, 2480, 5000])
def test_true_values_are_counted_and_found(columns):
    for share in (0, 0.01, 0.3, 1):
        mask = torch.rand((50, columns), generator=torch.Generator().manual_seed(columns)) < share
        assert row_counts(mask).tolist() == mask.sum(dim=1).tolist()
        row, column = places_of(mask)
        assert torch.equal(torch.stack((row, column), dim=1), mask.nonzero())
