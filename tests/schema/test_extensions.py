"""The table of extensions, and the names that they offer in `rankgauge`."""

import importlib
import sys

import pytest

import rankgauge
from rankgauge.errors import MissingExtension
from rankgauge.schema import extensions, registry
from rankgauge.schema.extensions import EXTENSIONS, is_installed

OFFERED = {name: title for title, extension in EXTENSIONS.items() for name in extension.names}


def test_public_names_are_those_of_the_base_and_of_its_extensions():
    own = {*rankgauge._HOMES, *rankgauge._MODULES, "__version__"}
    assert own.isdisjoint(extensions.names())
    errors = {"MissingDependency", "RankgaugeError"}  # which `import *` leaves out
    assert {*rankgauge.__all__} == own - errors | {*extensions.names()}


def test_no_name_or_command_is_offered_twice():
    assert len(OFFERED) == sum(len(extension.names) for extension in EXTENSIONS.values())
    commands = [command for extension in EXTENSIONS.values() for command in extension.commands]
    assert len(commands) == len({*commands})


@pytest.mark.parametrize("name", OFFERED)
def test_a_name_is_found_where_its_extension_is_and_else_the_extension_is_named(name):
    package, _, last = f"rankgauge.{name}".rpartition(".")
    if is_installed(OFFERED[name]):
        try:
            assert getattr(importlib.import_module(package), last) is not None
        except rankgauge.errors.MissingDependency as error:
            pytest.skip(str(error))
    else:
        with pytest.raises(MissingExtension, match=OFFERED[name]):
            getattr(importlib.import_module(package), last)


def test_a_module_is_the_same_under_its_public_name():
    if not is_installed("studies"):
        pytest.skip("the extension studies is not there")
    module = importlib.import_module("rankgauge.diversity")
    assert module is sys.modules["rankgauge.extensions.studies.diversity"]
    assert rankgauge.diversity is module
    assert module.__spec__.name == "rankgauge.extensions.studies.diversity"


def test_a_name_that_nobody_offers_is_unknown():
    with pytest.raises(AttributeError, match=r"no attribute 'densely'; help.rankgauge. lists"):
        rankgauge.densely  # noqa: B018
    with pytest.raises(ModuleNotFoundError, match=r"rankgauge\.densely"):
        importlib.import_module("rankgauge.densely")


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("a-1.0.dist-info/entry_points.txt", "[rankgauge.commands]\na = a\n", True),
        ("a-1.0.dist-info/entry_points.txt", "[console_scripts]\na = a:main\n", False),
        ("a-1.0.dist-info/METADATA", "rankgauge.commands", False),
        ("a-1.0.egg/EGG-INFO/entry_points.txt", "", True),  # left to importlib.metadata, as a zip file is
        ("a.zip", "", True),
        ("a/entry_points.txt", "[rankgauge.commands]\n", False),
    ],
)
def test_packages_that_may_have_commands_are_found_without_reading_all_metadata(
    file, text, expected, tmp_path, monkeypatch
):
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    monkeypatch.setattr("sys.path", ["/nowhere", str(path if path.suffix == ".zip" else tmp_path)])
    assert registry._may_be_declared("rankgauge.commands") == expected
