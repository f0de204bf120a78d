"""Record the signatures of the classes that an adapter stands in for: run it in that framework's
environment, as ``scripts/adapters.py --record`` does.
"""

from __future__ import annotations

import inspect
import json
import sys
from importlib import import_module
from importlib.metadata import version
from typing import Any

from scripts.adapters import Framework, declared


def recorded(framework: Framework) -> dict[str, Any]:
    """The package's version, and the methods of each class that the adapter keeps."""
    classes = {name: methods(_class(base)) for name, base in framework.bases.items()}
    return {"version": version(framework.package), "classes": classes}


def methods(kind: type) -> dict[str, Any]:
    """The public methods of a class: parameters, whether it is a coroutine, and whether a subclass
    has to have it.
    """
    required = getattr(kind, "__abstractmethods__", frozenset()) | _of_protocol(kind)
    names = sorted({name for part in kind.__mro__[:-1] for name in vars(part)})
    found = {name: inspect.getattr_static(kind, name) for name in names if name[0] != "_"}
    return {
        name: {
            "parameters": parameters(method),
            "async": _is_async(method),
            "required": name in required,
        }
        for name, method in found.items()
        if inspect.isfunction(method)
    }


def parameters(method: Any) -> list[list[Any]]:
    """Each parameter's name and kind, and whether it may be left out."""
    told = inspect.signature(method).parameters.values()
    return [[p.name, p.kind.name, p.default is not p.empty] for p in told]


def _is_async(method: Any) -> bool:
    return inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method)


def _of_protocol(kind: type) -> frozenset[str]:
    """The methods of a protocol, but those whose own body says that they may be left out."""
    if not getattr(kind, "_is_protocol", False):
        return frozenset()
    own = {name: method for name, method in vars(kind).items() if inspect.isfunction(method)}
    return frozenset(
        name
        for name, method in own.items()
        if "raise NotImplementedError" not in inspect.getsource(method)
    )


def _class(place: str) -> type:
    module, _, name = place.partition(":")
    found = getattr(import_module(module), name)
    assert isinstance(found, type)
    return found


if __name__ == "__main__":
    wanted = declared()[sys.argv[1]]
    text = json.dumps(recorded(wanted), indent=1) + "\n"
    wanted.signatures.write_text(text, encoding="utf-8")
