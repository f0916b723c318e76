"""Names of a package that are imported when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, str], modules: Mapping[str, str] | None = None
) -> Callable[[str], Any]:
    """The `__getattr__` of a package.

    `homes` has the module that defines each name; `modules` has modules that the package offers under a name
    of its own.
    """

    def __getattr__(name: str) -> Any:
        from importlib import import_module

        if modules and name in modules:
            return import_module(modules[name])
        if name not in homes:
            known = ", ".join([*homes, *(modules or ())])
            raise AttributeError(f"module {package!r} has no attribute {name!r}; it has {known}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)  # next time without __getattr__
        return value

    return __getattr__
