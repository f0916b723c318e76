"""Evaluators of retrieval from a corpus, with the interfaces of sentence-transformers.

They count instead of sorting (`rankgauge.dense`): measures may have any depth, and only the vectors of
queries, of judged documents and of one chunk of the corpus are held.
"""

from __future__ import annotations

import csv
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rankgauge.errors import InputError, MissingDependency, OptionError
from rankgauge.evaluation.evaluator import Measures
from rankgauge.extensions.devices.dense import Counts, JudgedVectors, count
from rankgauge.extensions.devices.dense.arrays import concatenated, rows_of
from rankgauge.extensions.devices.score_lists import evaluate_scores
from rankgauge.extensions.devices.vectors.counting import SIMILARITIES
from rankgauge.measures import Measure, parse, parse_all
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import Ties
from rankgauge.model.scores import Scores
from rankgauge.schema.options import whole_number
from rankgauge.schema.text import described

try:
    from sentence_transformers.sentence_transformer import evaluation as evaluation
except ImportError:
    try:
        from sentence_transformers import evaluation as evaluation  # before version 6
    except ImportError:
        raise MissingDependency(
            "rankgauge.compat.sentence_transformers", "sentence-transformers", "sentence-transformers"
        ) from None

logger = logging.getLogger(__name__)

# Functions of sentence_transformers.util, by their names, and the similarities that they compute.
FUNCTIONS = {
    "cos_sim": "cosine",
    "pytorch_cos_sim": "cosine",
    "dot_score": "dot",
    "euclidean_sim": "euclidean",
}


class InformationRetrievalEvaluator(evaluation.SentenceEvaluator):  # type: ignore[misc]
    """The measures of a model that retrieves documents of a corpus for queries.

    Arguments, keys of results and CSV files are those of sentence-transformers. `relevant_docs` may also have
    grades, {query: {document: grade}}. `corpus` is any mapping of ids to texts, whose texts are read as they
    are encoded. `measures` are measure texts of rankgauge, whose results are added: "AP Twist". `exclude`
    leaves documents out of the ranking of a query: {query: documents}. Tied documents are ordered by `ties`.

    After a call, `scores` has the `Scores` of each score function, with the values of every query.
    """

    def __init__(
        self,
        queries: Mapping[str, Any],
        corpus: Mapping[str, Any],
        relevant_docs: Mapping[str, Any],
        corpus_chunk_size: int = 50000,
        mrr_at_k: Sequence[int] = (10,),
        ndcg_at_k: Sequence[int] = (10,),
        accuracy_at_k: Sequence[int] = (1, 3, 5, 10),
        precision_recall_at_k: Sequence[int] = (1, 3, 5, 10),
        map_at_k: Sequence[int] = (100,),
        show_progress_bar: bool = False,
        batch_size: int = 32,
        name: str = "",
        write_csv: bool = True,
        truncate_dim: int | None = None,
        score_functions: Mapping[str, Callable[..., Any] | str] | None = None,
        main_score_function: Any = None,
        query_prompt: str | None = None,
        query_prompt_name: str | None = None,
        corpus_prompt: str | None = None,
        corpus_prompt_name: str | None = None,
        write_predictions: bool = False,
        *,
        measures: Measures = (),
        exclude: Mapping[str, Iterable[str]] | None = None,
        ties: Ties = "docid_asc",
    ) -> None:
        super().__init__()
        if write_predictions:
            raise OptionError(
                "documents are counted and not listed, so there are no predictions to write; for a run "
                "of the best documents use rankgauge.dense.retrieve"
            )
        self.corpus_chunk_size = whole_number("corpus_chunk_size", corpus_chunk_size, 1)
        self.queries_ids = [query for query in queries if relevant_docs.get(query)]
        self.queries = [queries[query] for query in self.queries_ids]
        if not self.queries:
            raise InputError(
                f"none of the {len(queries):,} queries has relevant documents; relevant_docs is "
                "{query: set of documents}, with the ids of queries and corpus"
            )
        self.corpus, self.corpus_ids = corpus, list(corpus)
        if not self.corpus_ids:
            raise InputError("the corpus has no documents; it is {document: text}")
        self.relevant_docs = relevant_docs
        self._qrels = _qrels(self.queries_ids, relevant_docs)
        judged = {*self._qrels.docs.texts()}
        # Judged documents come first: all others are compared with them.
        self._order = sorted(range(len(self.corpus_ids)), key=lambda n: str(self.corpus_ids[n]) not in judged)
        self._judged = sum(str(doc) in judged for doc in self.corpus_ids)

        self.mrr_at_k, self.ndcg_at_k, self.map_at_k = mrr_at_k, ndcg_at_k, map_at_k
        self.accuracy_at_k, self.precision_recall_at_k = accuracy_at_k, precision_recall_at_k
        self.show_progress_bar, self.batch_size = show_progress_bar, batch_size
        self.query_prompt, self.query_prompt_name = query_prompt, query_prompt_name
        self.corpus_prompt, self.corpus_prompt_name = corpus_prompt, corpus_prompt_name
        self.name, self.write_csv, self.truncate_dim = name, write_csv, truncate_dim
        self.exclude, self.ties = exclude, ties
        self.scores: dict[str, Scores] = {}

        self._columns = self._named_measures(measures)  # {name of the result: (of the column, measure)}
        self.score_functions = None if score_functions is None else dict(score_functions)
        self.score_function_names = sorted(score_functions or ())
        self._similarities = {} if score_functions is None else _similarities(score_functions)
        self.main_score_function = getattr(main_score_function, "value", main_score_function)
        if score_functions is not None:
            self._check_main()
        self.csv_file = f"Information-Retrieval_evaluation{'_' if name else ''}{name}_results.csv"

    @property
    def csv_headers(self) -> list[str]:
        """The columns of the CSV file, as far as score functions are known."""
        columns = [column for column, _ in self._columns.values()]
        return [
            "epoch",
            "steps",
            *(f"{name}-{each}" for name in self.score_function_names for each in columns),
        ]

    def __call__(
        self,
        model: Any,
        output_path: str | None = None,
        epoch: int = -1,
        steps: int = -1,
        *,
        corpus_model: Any = None,
        corpus_embeddings: Any = None,
    ) -> dict[str, float]:
        """{name of a result: value} for a model; a row is added to the CSV file in `output_path`.

        `corpus_model` encodes documents in place of `model`; `corpus_embeddings` are the vectors of all.
        """
        when = "" if epoch == -1 else f" after epoch {epoch}" + ("" if steps == -1 else f", step {steps}")
        logger.info("Evaluation of information retrieval on %s%s", self.name or "a corpus", when)
        if self.score_functions is None:
            # That of each model: an evaluator may be used for several.
            self._similarities = _similarities(self._model_score_functions(model))
            if self.score_function_names != sorted(self._similarities):
                self.score_function_names, self.primary_metric = sorted(self._similarities), None
            self._check_main()
        counts = self._count(model, corpus_model or model, corpus_embeddings)
        self.scores = {name: counts[name].scores() for name in self._similarities}
        means = {name: scores.mean()[name] for name, scores in self.scores.items()}
        results = {
            f"{name}_{result}": of_measure[str(measure)]
            for name, of_measure in means.items()
            for result, (_, measure) in self._columns.items()
        }
        for result, value in results.items():
            logger.info("%s: %.4f", result, value)
        if output_path is not None and self.write_csv:
            self._write_row(Path(output_path), epoch, steps, means)
        if not self.primary_metric:
            self.primary_metric = self._primary(results)
        results = dict(self.prefix_name_to_metrics(results, self.name))
        if hasattr(model, "model_card_data"):
            self.store_metrics_in_model_card_data(model, results, epoch, steps)
        return results

    def get_config_dict(self) -> dict[str, Any]:
        """The settings for a model card."""
        names = ("truncate_dim", "query_prompt", "query_prompt_name", "corpus_prompt", "corpus_prompt_name")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def _model_score_functions(self, model: Any) -> dict[str, Any]:
        """{name: score function} of a model, for NanoBEIREvaluator."""
        return {model.similarity_fn_name: model.similarity_fn_name}

    def _check_main(self) -> None:
        if self.main_score_function not in (None, *self.score_function_names):
            raise OptionError(
                f"main_score_function is {self.main_score_function!r}, and the score functions are "
                f"{', '.join(self.score_function_names)}; name one of them"
            )

    def _named_measures(self, measures: Measures) -> dict[str, tuple[str, Measure]]:
        texts: dict[str, tuple[str, str]] = {}
        for ks, names in (
            (self.accuracy_at_k, [("accuracy", "Accuracy", "Success")]),
            (self.precision_recall_at_k, [("precision", "Precision", "P"), ("recall", "Recall", "R")]),
            (self.mrr_at_k, [("mrr", "MRR", "RR")]),
            (self.ndcg_at_k, [("ndcg", "NDCG", "nDCG")]),
            (self.map_at_k, [("map", "MAP", "AP(norm=cut)")]),
        ):
            for k in ks:
                texts |= {f"{result}@{k}": (f"{column}@{k}", f"{text}@{k}") for result, column, text in names}
        named = {result: (column, parse(text)) for result, (column, text) in texts.items()}
        if measures or not named:  # without any, the error says what to name
            named |= {str(measure): (str(measure), measure) for measure in parse_all(measures)}
        return named

    def _primary(self, results: Mapping[str, float]) -> str:
        """The result that selects models: nDCG at its last cutoff, else the first of `measures`."""
        first = next((result for result, (column, _) in self._columns.items() if result == column), None)
        chosen = f"ndcg@{max(self.ndcg_at_k)}" if self.ndcg_at_k else first or next(iter(self._columns))
        self.greater_is_better = self._columns[chosen][1].spec.direction >= 0
        by_function = {f"{name}_{chosen}": results[f"{name}_{chosen}"] for name in self.score_function_names}
        if self.main_score_function is not None:
            return f"{self.main_score_function}_{chosen}"
        best = max if self.greater_is_better else min
        return best(by_function, key=by_function.__getitem__)

    def _count(self, model: Any, corpus_model: Any, embeddings: Any) -> dict[str, Counts]:
        """The counts by score function; the corpus is encoded once."""
        queries = self._encode(model, "query", self.queries, self.query_prompt, self.query_prompt_name)
        size, last = self.corpus_chunk_size, len(self._order)

        def encoded(begin: int, end: int) -> Any:
            rows = self._order[begin:end]
            if embeddings is not None:
                return rows_of(embeddings, np.array(rows))
            texts = [self.corpus[self.corpus_ids[row]] for row in rows]
            return self._encode(corpus_model, "document", texts, self.corpus_prompt, self.corpus_prompt_name)

        def ids(begin: int, end: int) -> list[str]:
            return [str(self.corpus_ids[row]) for row in self._order[begin:end]]

        starts = range(0, self._judged, size)
        known = [encoded(begin, min(begin + size, self._judged)) for begin in starts] or [queries[:0]]
        judged = JudgedVectors(tuple(ids(0, self._judged)), concatenated(known), last)
        del known
        counted = [self._part(queries, judged, judged.ids, judged.vectors)] if self._judged else []
        for begin in range(self._judged, last, size):
            end = min(begin + size, last)
            # Only the call holds the chunk, which is free when the next one is encoded.
            counted = [*counted, self._part(queries, judged, ids(begin, end), encoded(begin, end))]
            counted = [{name: sum(part[name] for part in counted) for name in self._similarities}]
        return counted[0]

    def _part(self, queries: Any, judged: JudgedVectors, ids: Sequence[str], vectors: Any) -> dict[str, Any]:
        return {
            name: count(
                self._qrels,
                queries,
                [(list(ids), vectors)],
                [measure for _, measure in self._columns.values()],
                judged=judged,
                query_ids=[str(query) for query in self.queries_ids],
                similarity=similarity,
                exclude=self.exclude,
                name=name,
                ties=self.ties,
            )
            for name, similarity in self._similarities.items()
        }

    def _encode(
        self, model: Any, kind: str, inputs: list[Any], prompt: str | None, prompt_name: str | None
    ) -> Any:
        encode = getattr(model, f"encode_{kind}", None) or model.encode  # which versions before 5 have alone
        vectors = encode(
            inputs,
            prompt_name=prompt_name,
            prompt=prompt,
            batch_size=self.batch_size,
            show_progress_bar=self.show_progress_bar,
            convert_to_tensor=True,
            truncate_dim=self.truncate_dim,
        )
        # Devices other than these have no double precision.
        return vectors if vectors.device.type in ("cpu", "cuda") else vectors.cpu()

    def _write_row(
        self, folder: Path, epoch: int, steps: int, means: Mapping[str, Mapping[str, float]]
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / self.csv_file
        with path.open("a+", encoding="utf-8", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            file.seek(0)
            headers = next(csv.reader(file), None)
            if headers is None:
                table.writerow(self.csv_headers)
            elif headers != self.csv_headers:
                logger.warning("%s has other columns than %s, which are added", path, self.csv_headers)
            measures = [str(measure) for _, measure in self._columns.values()]
            values = [means[name][measure] for name in self.score_function_names for measure in measures]
            table.writerow([epoch, steps, *values])


class NanoBEIREvaluator(evaluation.NanoBEIREvaluator):  # type: ignore[misc]
    """The measures of a model on the collections of NanoBEIR, which sentence-transformers downloads.

    Arguments and results are those of sentence-transformers, and `measures` and `ties` as above.
    `evaluators` has an evaluator for each collection, with the `scores` of its queries.
    """

    information_retrieval_class = InformationRetrievalEvaluator

    def __init__(
        self, *arguments: Any, measures: Measures = (), ties: Ties = "docid_asc", **options: Any
    ) -> None:
        self._further = {"measures": measures, "ties": ties}
        super().__init__(*arguments, **options)

    def _load_dataset(self, dataset_name: str, **options: Any) -> Any:
        return super()._load_dataset(dataset_name, **options, **self._further)


def _qrels(queries: Iterable[Any], relevant: Mapping[Any, Any]) -> Qrels:
    """The judgments of these queries; documents in a set have grade 1."""
    judgments = {}
    for query in queries:
        documents = relevant[query]
        if isinstance(documents, (str, bytes)) or not isinstance(documents, Iterable):
            raise InputError(
                f"relevant_docs has {described(documents)} for the query {query!r}; it must be a set of "
                "documents, or {document: grade}"
            )
        grades = documents if isinstance(documents, Mapping) else dict.fromkeys(documents, 1)
        judgments[str(query)] = {str(document): grade for document, grade in grades.items()}
    return Qrels.from_dict(judgments, name="relevant_docs")


def _similarities(functions: Mapping[str, Any]) -> dict[str, str]:
    found = {}
    for name, function in functions.items():
        known = function if isinstance(function, str) else _computed_by(function)
        if known not in SIMILARITIES:
            raise OptionError(
                f"the score function {name!r} is {function!r}, and documents can be counted by "
                f"{', '.join(SIMILARITIES)}: pass one of these texts, or a function of "
                f"sentence_transformers.util: {', '.join(FUNCTIONS)}; for others use sentence-transformers' "
                "own evaluator"
            )
        found[name] = str(known)
    return found


def _computed_by(function: Any) -> str | None:
    name = getattr(function, "__name__", "")
    if name == "similarity":  # that of a model
        return getattr(getattr(function, "__self__", None), "similarity_fn_name", None)
    return FUNCTIONS.get(name)


class RerankingEvaluator(evaluation.RerankingEvaluator):  # type: ignore[misc]
    """The measures of a model that orders given documents, of which some are relevant.

    Arguments and results are those of sentence-transformers. `measures` are measure texts of rankgauge, whose
    results are added. Tied documents are averaged over all their orders unless `ties` is another rule.

    After a call, `scores` has the values of every sample; topics are the places of samples.
    """

    scores: Scores

    def __init__(
        self, *arguments: Any, measures: Measures = (), ties: Ties = "average", **options: Any
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
