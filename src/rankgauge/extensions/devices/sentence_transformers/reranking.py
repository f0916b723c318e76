"""An evaluator with the interface of sentence-transformers' RerankingEvaluator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankgauge.evaluation.evaluator import Measures
from rankgauge.extensions.devices.score_lists import evaluate_scores
from rankgauge.extensions.devices.sentence_transformers.retrieval import evaluation
from rankgauge.measures import parse_all
from rankgauge.model.scores import Scores


class RerankingEvaluator(evaluation.RerankingEvaluator):  # type: ignore[misc]
    """The measures of a model that orders given documents, of which some are relevant.

    Arguments and results are those of sentence-transformers. `measures` are measure texts of rankgauge, whose
    results are added. Tied documents are averaged over all their orders unless `ties` is another rule.

    After a call, `scores` has the values of every sample; topics are the places of samples.
    """

    scores: Scores

    def __init__(
        self, *arguments: Any, measures: Measures = (), ties: str = "average", **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self.measures, self.ties = [str(each) for each in parse_all(measures)] if measures else [], ties

    def __call__(self, *arguments: Any, **options: Any) -> dict[str, float]:
        """{name of a result: value} for a model; a row is added to the CSV file in `output_path`."""
        results = super().__call__(*arguments, **options)
        means = self._means()
        further = self.prefix_name_to_metrics({text: means[text] for text in self.measures}, self.name)
        return {**results, **further}

    def compute_metrics(self, model: Any) -> dict[str, float]:
        """The means of average precision, reciprocal rank and nDCG."""
        import torch  # which sentence-transformers brings: where that is missing, it is named first

        named = {"map": "AP", "mrr": f"RR@{self.at_k}", "ndcg": f"nDCG@{self.at_k}"}
        similarities = [self.similarity_fct(*pair).reshape(-1) for pair in self._vectors(model)]
        labels = [[1] * len(each["positive"]) + [0] * len(each["negative"]) for each in self.samples]
        self.scores = evaluate_scores(
            torch.tensor([label for of_sample in labels for label in of_sample]),
            torch.cat(similarities).cpu(),
            [*dict.fromkeys((*named.values(), *self.measures))],
            indexes=torch.arange(len(labels)).repeat_interleave(torch.tensor([*map(len, labels)])),
            ties=self.ties,
        )
        means = self._means()
        return {name: means[text] for name, text in named.items()}

    compute_metrices = compute_metrics  # before version 6

    def _means(self) -> dict[str, float]:
        return self.scores.mean()[self.scores.runs[0]]

    def _vectors(self, model: Any) -> Iterator[tuple[Any, Any]]:
        """The vectors of the query and of the documents of each sample."""
        documents = [[*each["positive"], *each["negative"]] for each in self.samples]
        queries = [each["query"] for each in self.samples]
        if not self.use_batched_encoding:
            for query, of_sample in zip(queries, documents, strict=True):
                yield self._embedded(model, "query", [query]), self._embedded(model, "document", of_sample)
            return
        vectors = self._embedded(model, "document", [text for of_sample in documents for text in of_sample])
        parts = vectors.split([*map(len, documents)])
        yield from zip(self._embedded(model, "query", queries), parts, strict=True)

    def _embedded(self, model: Any, kind: str, texts: list[str]) -> Any:
        shown = self.show_progress_bar and self.use_batched_encoding
        return self.embed_inputs(model, texts, encode_fn_name=kind, show_progress_bar=shown)
