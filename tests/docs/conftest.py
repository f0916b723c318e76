import importlib

import pytest

import pages


@pytest.fixture(scope="session")
def reference():
    """{page of the reference: its text}, as the site has them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(pages.DOCS)
        return importlib.import_module("generate").reference()
