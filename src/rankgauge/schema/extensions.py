"""The extensions that come with rankgauge, in one table: what each adds to the base package, by name.

No module of the base imports an extension; it finds what they offer here. Nothing is imported to read the
table, and a folder that is not there leaves its row without effect.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

from rankgauge.errors import MissingExtension
from rankgauge.schema.frozen import Frozen

ROOT = "rankgauge.extensions"


class Extension(Frozen):
    """An extension; places are modules below its folder, or a name in one: "module:name"."""

    title: str
    names: Mapping[str, str]  # {name in `rankgauge`: place}; a module can be imported under it, too
    commands: Mapping[str, str]  # {command: what it is for}; its module is in the folder `commands`
    services: Mapping[str, Mapping[str, str]] = {}  # {kind: {name: place}}, see `schema.registry.Services`
    entries: Mapping[str, tuple[str, ...]] = {}  # {registry: modules that add entries to it}

    def places(self, kind: str) -> Mapping[str, str]:
        """{name: place} of the services of a kind."""
        if kind == "commands":
            return {name: f"commands.{name}" for name in self.commands}
        return self.services.get(kind, {})


EXTENSIONS = {
    "pages": Extension(
        "figures, the explorer and reports",
        names={
            "Exploration": "explorer:Exploration",
            "explore": "explorer:explore",
            "figures": "figures",
            "report": "reports:report",
            "testing.check_figure": "figures.laws:check_figure",
        },
        commands={
            "explore": "look at runs and rankings in a browser, and try changes",
            "report": "make an HTML report on runs",
            "figure": "draw runs, scores or tables, for papers and web pages",
            "campaign": "check, pool and evaluate all runs of a folder, for organisers",
        },
    ),
    "studies": Extension(
        "studies of measures, simulation, and the experiments of papers",
        names={
            "diversity": "diversity",
            "effort": "effort",
            "examples": "simulation.examples",
            "replicate": "replication:replicate",
            "simulate": "simulation:simulate",
            "studies": "",
        },
        commands={
            "study": "study measures on the runs of a campaign",
            "simulate": "generate judgments and runs of any size",
            "demo": "simulate, evaluate, compare and report, step by step",
            "replicate": "compare a run with its reproduction",
            "reproduce": "run the experiment of a paper on your own collections",
        },
        entries={
            "rankgauge.figures": ("figures.findings", "figures.effort"),
            "rankgauge.views": ("effort_view",),
            "rankgauge.studies": tuple(
                f"catalogue.{name}"
                for name in (
                    "effort",
                    "judgments",
                    "novelty",
                    "orders",
                    "power",
                    "risk",
                    "scales",
                    "topic_sets",
                )
            ),
        },
    ),
    "judging": Extension(
        "assessment: pools, samples, labels of language models, nuggets of answers",
        names={
            "CorrectedScores": "corrected_scores:CorrectedScores",
            "assessment": "",
            "nuggets": "nuggets",
            "ratings": "ratings",
        },
        commands={
            "pool": "list the documents to judge, from the top of runs",
            "agreement": "compare people's and models' judgments, and how they order runs",
            "decide": "find which of two runs is better with few human judgments",
        },
        services={
            "explorer": {
                "guide": "guide:guide_in",
                "journal": "judging_session:judging_in",
                "llm_qrels": "judging_session:add_labels",
            },
            "pools": {"pool": "pooling:pool"},
            "conversions": {"journal": "commands.journal"},
            "scores": {
                "answers": "nuggets",
                "holds_answers": "nuggets_format:holds_answers",
                "ratings": "ratings",
                "holds_ratings": "ratings:holds_ratings",
                "corrected": "corrected_scores:CorrectedScores",
                "sampled": "corrected_scores:evaluate_sample",
            },
        },
        entries={
            "rankgauge.formats": ("nuggets_format", "strata_format"),
            "rankgauge.measures": ("sampled_measures",),
            "rankgauge.studies": ("sampling_study",),
            "rankgauge.views": ("views",),
        },
    ),
    "items": Extension(
        "recommended items: coverage, novelty, diversity and fairness",
        names={"items": ""},
        commands={"items": "score recommended items: coverage, novelty, fairness"},
    ),
    "devices": Extension(
        "evaluation on GPUs and on Apache Spark",
        names={
            "FixedCandidates": "score_lists:FixedCandidates",
            "compat.sentence_transformers": "sentence_transformers",
            "compat.torchmetrics": "torchmetrics",
            "dense": "dense",
            "evaluate_scores": "score_lists:evaluate_scores",
            "spark": "spark",
        },
        commands={"dense": "score a dense retriever from its vectors, without a run"},
        services={
            "engines": {"spark": "spark.evaluation:evaluate_files"},
            "methods": {
                "evaluate_scores": "score_lists:evaluate_with",
                "fixed": "score_lists:FixedCandidates",
            },
        },
    ),
    "tools": Extension(
        "fusion, preferences, groups of assessors, search engines, costs, interfaces of ir_measures and ranx",
        names={
            "TunedFusion": "fusion_tuning:TunedFusion",
            "compat.ir_measures": "ir_measures",
            "compat.ranx": "ranx",
            "fuse": "fusion:fuse",
            "groups": "assessor_groups",
            "preferences": "preferences",
            "tune_fusion": "fusion_tuning:tune_fusion",
            "with_costs": "costs:with_costs",
        },
        commands={
            "costs": "add the costs of documents to judgments, for time-biased gain",
            "fuse": "combine several runs into one",
            "search": "ask search engines queries, and keep the responses as runs",
        },
        services={
            "trec_eval": {
                "qrels_jg": "trec_eval_judgments:from_groups",
                "prefs": "trec_eval_judgments:from_preferences",
                "qrels_prefs": "trec_eval_judgments:from_preferences",
                "title": "trec_eval_judgments:title",
            }
        },
    ),
}


@cache
def is_installed(extension: str) -> bool:
    """Whether the folder of an extension is there."""
    path = import_module(ROOT).__path__
    return PathFinder.find_spec(f"{ROOT}.{extension}", path) is not None


def require(extension: str, wanted: str) -> None:
    """Raise an error unless an extension is installed."""
    if not is_installed(extension):
        raise MissingExtension(wanted, extension, EXTENSIONS[extension].title)


def require_for(module: str) -> None:
    """The same for the extension of a module."""
    extension = module.removeprefix(f"{ROOT}.").partition(".")[0]
    if module.startswith(f"{ROOT}.") and extension in EXTENSIONS:
        require(extension, f"the module {module}")


def service(kind: str, name: str, noun: str) -> str | None:
    """The full place of a service, or None."""
    for extension, its in EXTENSIONS.items():
        if name in its.places(kind):
            require(extension, f"the {noun} {name}")
            return f"{ROOT}.{extension}.{its.places(kind)[name]}"
    return None


def services(kind: str) -> list[str]:
    """The names of installed services of a kind."""
    return [name for each, its in EXTENSIONS.items() if is_installed(each) for name in its.places(kind)]


def modules_for(registry: str) -> Iterator[str]:
    """The modules that add entries to a registry."""
    for name, extension in EXTENSIONS.items():
        if registry in extension.entries and is_installed(name):
            yield from (f"{ROOT}.{name}.{module}" for module in extension.entries[registry])


def names(package: str = "") -> list[str]:
    """The names that extensions offer in `rankgauge` or a package of it."""
    inside = f"{package}." if package else ""
    return [
        name.removeprefix(inside)
        for extension in EXTENSIONS.values()
        for name in extension.names
        if name.startswith(inside) and "." not in name.removeprefix(inside)
    ]


def place(name: str) -> tuple[str, str] | None:
    """(module, name in it or "") of an extension's public name, or None."""
    for extension, its in EXTENSIONS.items():
        if name in its.names:
            require(extension, f"rankgauge.{name}")
            module, _, attribute = its.names[name].partition(":")
            return f"{ROOT}.{extension}.{module}".rstrip("."), attribute
    return None


class PublicNames:
    """A finder of modules under public names, such as `import rankgauge.dense`."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """How to import a module with a public name, or in a package with one."""
        public, inside = name.removeprefix("rankgauge."), ""
        while public and public != name:
            found = place(public)
            if found and not found[1]:
                return ModuleSpec(name, self, origin=f"{found[0]}{inside}")  # type: ignore[arg-type]
            public, _, last = public.rpartition(".")
            inside = f".{last}{inside}"
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module under its own name."""
        module = import_module(str(spec.origin))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module, which is imported already, its own specification back."""
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state
