"""A study's result as one file, and back: docs/study.md describes it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from rankwise import __version__
from rankwise.data.formats import arrays as container
from rankwise.data.formats.files import PathLike
from rankwise.errors import DataError, RankwiseError, message
from rankwise.evaluation.paired import Settings
from rankwise.measures.record import from_record, record
from rankwise.study.result import Cell, Curve, Entry, FoldFacts, Named, Notice, StudyResult

__all__ = ["load_study", "save"]

KIND, VERSION = "study", 1

Arrays = Mapping[str, npt.NDArray[Any]]
T = TypeVar("T")


def save(result: StudyResult, path: PathLike) -> None:
    """Writes a result: per-list values of every seed, query ids, cells, curves, and the plan."""
    header = {
        "written_by": f"rankwise {__version__}",
        "name": result.name,
        "plan": dict(result.plan),
        "plan_text": result.plan_text,
        "training": [_named(one) for one in result.training],
        "evaluation": [_named(one) for one in result.evaluation],
        "main": result.place(result.main),
        "entries": [asdict(one) for one in result.entries],
        "folds": [asdict(one) for one in result.folds],
        "queries": list(result.queries),
        "cells": [_plain(asdict(one)) for one in result.cells],
        "curves": [_curve(one) for one in result.curves],
        "notices": [asdict(one) for one in result.notices],
        "baseline": result.baseline,
        "statistics": asdict(result.statistics),
        "about": dict(result.about),
    }
    columns = {"fold_of": result.fold_of, "flags": result.flags}
    for at, entry in enumerate(result.entries):
        columns[f"values.{at}"] = result.seeds_of[entry.learner, entry.training]
    for at, curve in enumerate(result.curves):
        columns |= {f"curve.{at}.{name}": getattr(curve, name) for name in ("steps", "values", "validation")}
    container.write(path, KIND, VERSION, header, columns)


def load_study(path: PathLike) -> StudyResult:
    """Reads a result that `StudyResult.save` wrote; it prints the same as the one that was saved."""
    header, columns = container.read(path, KIND, VERSION)
    try:
        return _result(header, columns)
    except RankwiseError as error:
        raise type(error)(f"{path}: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        what = f"it cannot be read as a study ({type(error).__name__}: {error})"
        raise DataError(message(what, place=str(path), hint="the file is damaged; run the study again.")) from None


def _result(header: dict[str, Any], columns: Arrays) -> StudyResult:
    evaluation = tuple(map(_of_named, header["evaluation"]))
    entries = tuple(_of(Entry, one, seeds=tuple(one["seeds"])) for one in header["entries"])
    queries = tuple(map(str, header["queries"]))
    shape = len(evaluation), len(queries)
    return StudyResult(
        name=header["name"],
        plan=header["plan"],
        plan_text=header["plan_text"],
        training=tuple(map(_of_named, header["training"])),
        evaluation=evaluation,
        main=evaluation[header["main"]],
        entries=entries,
        folds=tuple(_of(FoldFacts, one) for one in header["folds"]),
        queries=queries,
        fold_of=_shaped(columns, "fold_of", np.int64, shape[1:]),
        seeds_of={
            (one.learner, one.training): _shaped(columns, f"values.{at}", np.float64, (len(one.seeds), *shape))
            for at, one in enumerate(entries)
        },
        flags=_shaped(columns, "flags", np.uint8, shape),
        cells=tuple(_of(Cell, _numbers(one)) for one in header["cells"]),
        curves=tuple(_of_curve(one, columns, at) for at, one in enumerate(header["curves"])),
        notices=tuple(_of(Notice, one) for one in header["notices"]),
        baseline=header["baseline"],
        statistics=_of(Settings, header["statistics"], tests=tuple(header["statistics"]["tests"])),
        about=header["about"],
    )


def _named(one: Named) -> dict[str, Any]:
    return {"called": one.name, "measure": record(one.measure)}


def _of_named(kept: Mapping[str, Any]) -> Named:
    return Named(kept["called"], from_record(kept["measure"]))


def _of(kind: type[T], kept: Mapping[str, Any], **other: Any) -> T:
    """A record of that kind; what an older file lacks has its default, what a newer one adds is left out."""
    known = {f.name for f in fields(kind)}  # type: ignore[arg-type]
    return kind(**{**{name: value for name, value in kept.items() if name in known}, **other})


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """JSON has no NaN."""
    return {name: None if isinstance(x, float) and math.isnan(x) else x for name, x in values.items()}


def _numbers(kept: Mapping[str, Any]) -> dict[str, Any]:
    return {name: math.nan if value is None else value for name, value in kept.items()}


def _curve(curve: Curve) -> dict[str, Any]:
    return {name: getattr(curve, name) for name in ("learner", "training", "fold", "seed", "best")}


def _of_curve(kept: Mapping[str, Any], columns: Arrays, at: int) -> Curve:
    steps = columns[f"curve.{at}.steps"]
    values = {
        name: _shaped(columns, f"curve.{at}.{name}", np.float64, steps.shape) for name in ("values", "validation")
    }
    return _of(Curve, kept, steps=_shaped(columns, f"curve.{at}.steps", np.int64, steps.shape), **values)


def _shaped(columns: Arrays, name: str, dtype: Any, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    array = columns.get(name)
    if array is None or array.dtype != dtype or array.shape != shape:
        found = "missing" if array is None else f"{array.dtype} {array.shape}"
        what = f"its array '{name}' is {found}, not {np.dtype(dtype)} {shape}"
        raise DataError(message(what, hint="the file is damaged; run the study again."))
    return array
