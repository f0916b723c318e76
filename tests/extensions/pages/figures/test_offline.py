"""The drawing library of web pages, which is cached on disk."""

import hashlib
from importlib.metadata import version

import pytest

from rankgauge.extensions.pages.figures import offline

vl_convert = pytest.importorskip("vl_convert")
VERSION = version("vl-convert-python")
SCRIPT = "window.vega = '<\\/script>';\n"  # of which the bundle below is made


@pytest.fixture
def cached(tmp_path, monkeypatch):
    """The path of the cached script; bundles are counted, as making one takes seconds."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(offline, "DIGESTS", {VERSION: hashlib.sha256(SCRIPT.encode()).hexdigest()})
    bundles = []

    def bundle(snippet):
        bundles.append(snippet)
        return "window.vega = '</script>';"

    monkeypatch.setattr(vl_convert, "javascript_bundle", bundle)
    offline.vega.cache_clear()
    yield tmp_path / "rankgauge" / f"vega-{VERSION}.js", bundles
    offline.vega.cache_clear()


def script():
    """The script, as the next process gets it."""
    offline.vega.cache_clear()
    return offline.vega()


def test_the_script_is_bundled_once(cached):
    path, bundles = cached
    assert script() == script() == SCRIPT
    assert path.read_text() == SCRIPT
    assert len(bundles) == 1


@pytest.mark.parametrize("content", [b"", b"alert(1)", b"\xff", SCRIPT.encode() + b" "])
def test_a_script_that_was_not_made_here_is_never_used(cached, content):
    path, _ = cached
    path.parent.mkdir()
    path.write_bytes(content)
    assert script() == SCRIPT
    assert path.read_text() == SCRIPT


def test_a_script_that_cannot_be_checked_is_not_cached(cached, monkeypatch):
    path, bundles = cached
    monkeypatch.setattr(offline, "DIGESTS", {})
    path.parent.mkdir()
    path.write_text("alert(1)")
    assert script() == script() == SCRIPT
    assert path.read_text() == "alert(1)"
    assert len(bundles) == 2


def test_a_cache_that_cannot_be_written_changes_nothing(cached, tmp_path, monkeypatch):
    (tmp_path / "rankgauge").write_text("not a directory")
    assert script() == SCRIPT
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "rankgauge"))
    assert script() == SCRIPT


@pytest.mark.skipif(VERSION not in offline.DIGESTS, reason="DIGESTS lacks this version, which is not cached")
def test_the_digest_is_that_of_the_script():
    made = vl_convert.javascript_bundle(offline.GLOBAL).replace("</script", "<\\/script") + "\n"
    assert offline.DIGESTS[VERSION] == hashlib.sha256(made.encode()).hexdigest()
