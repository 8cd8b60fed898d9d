"""`_kernels.pyi` says what the compiled module has, name for name and parameter for parameter."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import rankwise
from rankwise import _kernels

STUB = ast.parse((Path(rankwise.__file__).parent / "_kernels.pyi").read_text("utf-8"))
FUNCTIONS = {node.name: node for node in STUB.body if isinstance(node, ast.FunctionDef)}
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}


def parameters(arguments: ast.arguments) -> list[str]:
    return [a.arg for a in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]]


def members(node: ast.ClassDef) -> set[str]:
    functions = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
    return functions | {
        n.target.id for n in node.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)
    }


def test_the_stub_has_the_names_of_the_module() -> None:
    assert {*FUNCTIONS, *CLASSES} == {name for name in dir(_kernels) if not name.startswith("_")}


def test_functions_have_the_parameters_of_the_stub() -> None:
    for name, node in FUNCTIONS.items():
        assert list(inspect.signature(getattr(_kernels, name)).parameters) == parameters(node.args), name


def test_classes_have_the_members_of_the_stub() -> None:
    for name, node in CLASSES.items():
        own = {member for member in vars(getattr(_kernels, name)) if not member.startswith("_")}
        assert {member for member in members(node) if not member.startswith("_")} == own, name
