"""The examples in the documentation run and print what the pages show."""

import doctest
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import pages
from rankgauge.cli.main import main
from rankgauge.cli.parser import COMMANDS
from rankgauge.measures import MEASURES
from registries import restored

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
WITH_EXAMPLES = [name for name in pages.PAGES if pages.blocks(name)]
NEED_TORCH = {name for name in WITH_EXAMPLES if any(block.needs for block in pages.blocks(name))}
MAX_LEFT_OUT = 6
MADE = ("explorer/report.html",)  # by the build of the site, beside the reference
# {page: {file of its examples: files of the real data}}
DATA = {
    "docs/how-to/llm-judgments.md": {
        "runs/*": "trec_dl_2021_passage/runs/*.run.gz",
        "nist.qrels.gz": "trec_dl_2021_passage/qrels.dl21-passage.txt.gz",
        "gpt-4o.qrels.gz": "llm_labels/dl21.gpt-4o.umbrela.qrels.gz",
        "llama3.2.qrels.gz": "llm_labels/dl21.llama3.2.umbrela.repeated.qrels.gz",
    }
}


class Terminal(io.TextIOWrapper):
    """A stream that claims to be a terminal."""

    def isatty(self):
        return True


class Shell:
    """Runs commands one after the other: plain rankgauge commands in this process, others in a shell."""

    def __init__(self, scripts):
        rankgauge = scripts / "rankgauge"
        rankgauge.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rankgauge "$@"\n')
        rankgauge.chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
        self.status = 0

    def run(self, command, stream=Terminal):
        """What a command prints on both streams; `stream` is the class of its standard output."""
        if command == "echo $?":
            return f"{self.status}\n"
        if command.startswith("rankgauge ") and not set(command) & set("|<>;"):
            return self._in_process(shlex.split(command)[1:], stream)
        done = subprocess.run(
            ["sh", "-c", command],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=60,
        )
        self.status = done.returncode
        return done.stdout.decode()

    def _in_process(self, words, stream):
        # As in sh, a pattern that matches nothing stays as it is.
        patterns = (("*" in word and sorted(map(str, Path().glob(word)))) or [word] for word in words)
        argv = [word for expanded in patterns for word in expanded]
        both = io.BytesIO()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stdout", stream(both, encoding="utf-8", write_through=True))
            patch.setattr(sys, "stderr", io.TextIOWrapper(both, encoding="utf-8", write_through=True))
            self.status = main(argv)
            return both.getvalue().decode()


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """A shell in an empty directory; measures that a page adds are removed afterwards."""
    for name in ("scripts", "work"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "work")
    for name, value in {"COLUMNS": "80", "TERM": "dumb"}.items():
        monkeypatch.setenv(name, value)
    with restored(MEASURES):
        yield Shell(tmp_path / "scripts")


def run_python(block, names, name):
    """Run a block; one with prompts is checked like a doctest."""
    if not block.text.startswith(">>>"):
        exec(compile("\n" * (block.line - 1) + block.text, name, "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(block.text, names, name, name, block.line - 1)
    failures = io.StringIO()
    failed = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=failures.write, clear_globs=False).failed
    names.update(test.globs)
    assert not failed, failures.getvalue()


def run_commands(block, shell, where):
    """Run the commands of a block and compare their output with that on the page."""
    for command, shown in pages.commands(block):
        printed = shell.run(command, io.TextIOWrapper if "\t" in shown else Terminal)
        if shown.strip():
            alike = doctest.OutputChecker().check_output(shown, printed, FLAGS)
            assert alike, f"{where}: {command}\nshown:\n{shown}\nprinted:\n{printed}"
        else:
            assert shell.status == 0, f"{where}: {command}\n{printed}"


@pytest.mark.skipif(os.name == "nt", reason="the commands are those of a POSIX shell")
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.torch] * (name in NEED_TORCH)) for name in WITH_EXAMPLES],
)
def test_the_examples_of_a_page_run_and_print_what_it_shows(name, shell, request):
    names = {"__name__": "__main__"}
    for file, original in DATA.get(name, {}).items():
        targets = [*request.getfixturevalue("data").glob(original)]
        if not targets:
            pytest.skip(f"no {original}")
        for target in targets:
            link = Path(file.replace("*", target.name))
            link.parent.mkdir(exist_ok=True)
            link.symlink_to(target)
    for block in pages.blocks(name):
        if not block.can_run:
            continue
        if block.language == "python":
            run_python(block, names, name)
        else:
            run_commands(block, shell, f"{name}:{block.line}")


def test_few_examples_are_left_out_and_each_with_a_reason():
    reasons = [
        block.reason for name in pages.PAGES for block in pages.blocks(name) if block.reason is not None
    ]
    assert all(reason.strip() for reason in reasons)
    assert len(reasons) <= MAX_LEFT_OUT


def test_the_links_of_pages_lead_somewhere(reference):
    made = {pages.DOCS / "reference" / name: text for name, text in reference.items()}
    made |= dict.fromkeys((pages.DOCS / name for name in MADE), "")
    for name in pages.PAGES:
        for link in pages.links(name):
            path, _, anchor = link.partition("#")
            target = (pages.PAGES[name].parent / path).resolve() if path else pages.PAGES[name]
            assert target.exists() or (target in made and name.startswith("docs/")), (name, link)
            text = made[target] if target in made else target.read_text("utf-8") if anchor else ""
            assert not anchor or anchor in pages.anchors(text), (name, link)


def test_every_relative_link_leads_to_a_file_of_the_checkout():
    listed = subprocess.run(
        ["git", "-C", pages.ROOT, "ls-files"], capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout: what belongs to the project is not known")
    files = {pages.ROOT / name for name in listed.stdout.splitlines()}
    known = files.union(*(file.parents for file in files))
    broken = [
        (str(page.relative_to(pages.ROOT)), link)
        for page in files
        if page.suffix == ".md" and page.is_file()
        for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8"))
        if not re.match(r"\w+:|#", link) and (page.parent / link.partition("#")[0]).resolve() not in known
    ]
    assert not broken


def test_the_index_lists_every_command():
    _, commands = (pages.DOCS / "README.md").read_text("utf-8").split("| command | purpose |\n")
    rows = [line.split("|")[1] for line in commands.partition("\n\n")[0].splitlines()]
    assert {name.strip(" `") for row in rows[1:] for name in row.split(",")} == COMMANDS.keys()


def test_the_index_links_to_every_page():
    linked = {(pages.DOCS / link.partition("#")[0]).resolve() for link in pages.links("docs/README.md")}
    assert linked >= {path for path in pages.DOCS.rglob("*.md") if path.name != "README.md"}
