"""The plan of a study: which lists, learners, training measures and evaluation measures, and how sure one wants to be.

A plan is a TOML file or the same tables in Python; docs/study.md lists the keys, and `rankwise study --init` writes a
plan with comments. Everything that can be known without reading a list is checked when the plan is made.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwise.data.formats.files import PathLike
from rankwise.errors import RankwiseError
from rankwise.evaluation.evaluate import chosen_measures
from rankwise.evaluation.paired import Settings
from rankwise.measures.base import Measure
from rankwise.measures.tools import convention
from rankwise.study.keys import Keys, PlanError
from rankwise.study.result import Named
from rankwise.study.sources import Source, source

if TYPE_CHECKING:
    from rankwise.learners.base import Learner

__all__ = ["Contender", "Plan", "PlanError", "read_plan"]

# A hundred thousand are for one comparison; a study makes hundreds.
PERMUTATIONS = 10_000
# What the study itself gives to each learner.
OWN = {
    "measure": "name the training measures in [measures] train",
    "select": "name it in [measures] select",
    "seed": "say seeds = [0, 1, …]",
    "threads": "the number of workers decides it",
    "warm_start": "a study trains from the start",
}
FEATURES = ("scaling", "over", "relative")


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A learner of the plan, with the parameters that are fixed and those that validation chooses."""

    label: str
    kind: str
    fixed: Mapping[str, Any]
    grid: Mapping[str, Sequence[Any]]
    seeds: tuple[int, ...]
    training: tuple[str, ...]
    """The names of its training measures."""

    def points(self) -> list[dict[str, Any]]:
        """The product of the grid's values, the last parameter changing first; one empty point without a grid."""
        return [dict(zip(self.grid, values, strict=True)) for values in product(*self.grid.values())]

    def learner(
        self, point: Mapping[str, Any], measure: Measure, select: Measure | None, seed: int, threads: int | None
    ) -> Learner:
        """The learner at a point of the grid."""
        from rankwise.learners import learner

        parameters = {**self.fixed, **point}
        return learner(self.kind)(measure=measure, select=select, seed=seed, threads=threads, **parameters)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a study does; `Plan.of` makes it of tables, `read_plan` of a file.

    >>> plan = Plan.of({
    ...     "data": {"simulated": "hotels", "searches": 100, "folds": 3},
    ...     "measures": {"train": ["nDCG@5", "letor4:nDCG@5"], "evaluate": "yahoo:nDCG@1..5"},
    ...     "learner": [{"name": "best-feature"}],
    ... })
    >>> plan.main.name, len(plan.evaluation), [named.name for named in plan.training]
    ('nDCG@5', 7, ['nDCG@5', 'letor4:nDCG@5'])
    """

    name: str
    data: Source
    contenders: tuple[Contender, ...]
    training: tuple[Named, ...]
    select: Measure | None
    """What chooses on validation; None: the training measure."""
    evaluation: tuple[Named, ...]
    main: Named
    baseline: str
    statistics: Settings
    time_budget: float | None
    """Seconds of a training; what it stops depends on the machine."""
    tables: Mapping[str, Any] = field(repr=False)
    text: str = field(repr=False)

    @classmethod
    def of(cls, tables: Mapping[str, Any], *, lists: Any = None, folder: PathLike = ".", place: str = "plan",
           text: str | None = None) -> Plan:  # fmt: skip
        """A plan of the tables that a TOML file has.

        `lists`, a `Dataset` or folds, stand in for a source in `data`. Paths begin at `folder`.
        """
        keys = Keys(tables, place)
        name = keys.text("name", default="study")
        data = source(_table(keys, "data", {}), Path(folder), lists)
        scaling = _features(_table(keys, "features", {}))
        measures = _Measures.of(_table(keys, "measures"))
        run = _table(keys, "run", {})
        seeds = _seeds(run, (0,))
        budget = run.number("time_budget", default=None)
        if budget is not None and not budget > 0:
            run.refuse("time_budget", f"is {budget}, not a number of seconds above 0")
        run.end()
        statistics = _statistics(_table(keys, "statistics", {}))
        contenders = _contenders(keys, measures, seeds, scaling)
        keys.end()
        return cls(
            name=name,
            data=data,
            contenders=contenders,
            training=measures.training,
            select=measures.select,
            evaluation=measures.evaluation,
            main=measures.main,
            baseline=measures.baseline,
            statistics=statistics,
            time_budget=budget,
            tables=json.loads(json.dumps(tables, default=str)),
            text=_written(tables) if text is None else text,
        )

    def trained_for(self, name: str) -> Named:
        return next(named for named in self.training if named.name == name)

    def selecting(self, training: Named) -> Measure:
        """What chooses on validation where a training measure is learnt for."""
        return training.measure if self.select is None else self.select


def read_plan(path: PathLike, changes: Mapping[str, Any] | None = None) -> Plan:
    """The plan of a TOML file; its paths begin at the folder of the file.

    `changes` are values for some keys, such as {"data.lists": 50, "learner.1.trees": 10}; arrays of tables count
    from 1.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
        tables = tomllib.loads(text)
    except FileNotFoundError:
        hint = "`rankwise study --init plan.toml` writes one to begin with."
        raise PlanError(f"{file}: no such file\nHint: {hint}") from None
    except OSError as error:
        raise PlanError(f"{file}: cannot be read ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PlanError(f"{file}: cannot be read as TOML ({error})") from None
    tables = {"name": file.stem, **tables}
    for key, value in (changes or {}).items():
        _change(tables, key, value, file.name)
    return Plan.of(tables, folder=file.parent, place=file.name, text=None if changes else text)


def _change(tables: dict[str, Any], key: str, value: Any, place: str) -> None:
    """Puts a value in the place of a key; tables on the way are made."""
    *path, last = key.split(".")
    here: Any = tables
    for word in path:
        if isinstance(here, list):
            at = int(word) - 1 if word.isdigit() else -1
            here = here[at] if 0 <= at < len(here) else None
        else:
            here = here.setdefault(word, {})
        if not isinstance(here, (dict, list)):
            raise PlanError(f"{place}: there is no place for '{key}', because '{word}' is none")
    if not isinstance(here, dict) or not last:
        raise PlanError(f"{place}: there is no place for '{key}'")
    here[last] = value


def _table(keys: Keys, name: str, default: Any = None) -> Keys:
    table = keys.take(name, dict) if default is None else keys.take(name, dict, default)
    return Keys(table, f"{keys.place}, [{name}]")


def _seeds(keys: Keys, default: tuple[int, ...]) -> tuple[int, ...]:
    given = keys.take("seeds", (int, list), default=None)
    if given is None:
        return default
    seeds = list(range(given)) if isinstance(given, int) else given
    whole = all(isinstance(seed, int) and not isinstance(seed, bool) and seed >= 0 for seed in seeds)
    if not seeds or not whole or len(set(seeds)) < len(seeds):
        keys.refuse("seeds", f"is {given!r}, not how many there are, or different whole numbers from 0")
    return tuple(seeds)


def _features(keys: Keys) -> dict[str, Any]:
    found = {name: keys.take(name, (str, list)) for name in FEATURES if keys.has(name)}
    keys.end()
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measures:
    training: tuple[Named, ...]
    select: Measure | None
    evaluation: tuple[Named, ...]
    main: Named
    baseline: str

    @classmethod
    def of(cls, keys: Keys) -> _Measures:
        training = _named(keys, "train")
        evaluation = _named(keys, "evaluate", optional=True)
        select = None
        if keys.has("select"):
            chosen = _named(keys, "select")
            if len(chosen) != 1:
                keys.refuse("select", f"names {len(chosen)} measures where one is wanted")
            select = chosen[0].measure
        main = cls._main(keys, training[0].measure)
        baseline = keys.text("baseline", default=training[0].name)
        if baseline not in [named.name for named in training]:
            known = ", ".join(named.name for named in training)
            keys.refuse("baseline", f"'{baseline}' is no training measure", f"there are {known}.")
        keys.end()
        # The verdict stands under `standard`, and beside it under what was trained for.
        all_of = list(evaluation)
        for named in (*reversed(training), main):
            if named.measure not in [one.measure for one in all_of]:
                all_of.insert(0, named)
        main = next(named for named in all_of if named.measure == main.measure)
        names = [named.name for named in all_of]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            keys.refuse("evaluate", f"two measures are called '{twice}'", "give them other names.")
        return cls(training=training, select=select, evaluation=tuple(all_of), main=main, baseline=baseline)

    @staticmethod
    def _main(keys: Keys, first: Measure) -> Named:
        if not keys.has("main"):
            main = first.but(convention=convention("standard", first.name, first.k))
            return Named(str(main), main)
        found = _named(keys, "main")
        if len(found) != 1 or found[0].convention != "standard":
            hint = 'the verdict stands under the standard convention, such as main = "nDCG@10"; others stand beside it.'
            keys.refuse("main", "names not one measure of the standard convention", hint)
        return found[0]


def _named(keys: Keys, key: str, *, optional: bool = False) -> tuple[Named, ...]:
    """Measures by their texts, or by names of the plan's own."""
    given = keys.take(key, (str, list, dict), default=[] if optional else ...)
    if given is ...:
        raise keys.error(f"'{key}' is missing", f'write {key} = ["nDCG@10", "letor4:nDCG@1..10"].')
    called = given if isinstance(given, dict) else {}
    texts = list(called.values()) if called else [given] if isinstance(given, str) else given
    if not all(isinstance(text, str) for text in texts) or (not texts and not optional):
        keys.refuse(key, f"is {given!r}, not texts of measures", f'write {key} = ["nDCG@10", "letor4:nDCG@1..10"].')
    found: list[Named] = []
    for name, text in zip(called or texts, texts, strict=True):
        try:
            those = chosen_measures([text], None)
        except RankwiseError as error:
            raise type(error)(f"{keys.place}: '{key}': {error}") from None
        for given_text, measure in those:
            own = name if len(those) == 1 else f"{name}@{measure.k}"
            found.append(Named(own if called else given_text, measure))
    twice = next((one for at, one in enumerate(found) if one.measure in [o.measure for o in found[:at]]), None)
    if twice is not None:
        keys.refuse(key, f"{twice.name} is there twice, or is another one under a second name", "leave one out.")
    return tuple(found)


def _statistics(keys: Keys) -> Settings:
    known = [f.name for f in fields(Settings) if f.name != "threads"]
    chosen: dict[str, Any] = {"permutations": PERMUTATIONS}
    for name in known:
        if keys.has(name):
            chosen[name] = tuple(keys.texts(name)) if name == "tests" else keys.table[name]
    keys.end()
    try:
        return Settings(**chosen)
    except (RankwiseError, TypeError) as error:
        raise PlanError(f"{keys.place}: {error}") from None


def _contenders(
    keys: Keys, measures: _Measures, seeds: tuple[int, ...], scaling: Mapping[str, Any]
) -> tuple[Contender, ...]:
    if not keys.has("learner"):
        raise keys.error("there are no learners", 'write [[learner]] and below it name = "lambdamart".')
    found = [_contender(table, measures, seeds, scaling) for table in keys.tables("learner")]
    labels = [one.label for one in found]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise keys.error(f"two learners are called '{twice}'", "give one of them another `label`.")
    return tuple(found)


def _contender(keys: Keys, measures: _Measures, seeds: tuple[int, ...], scaling: Mapping[str, Any]) -> Contender:
    from rankwise.learners import LEARNERS

    kind = keys.text("name")
    if kind not in LEARNERS:
        from difflib import get_close_matches

        near = get_close_matches(kind, LEARNERS, 1)
        hint = (f"did you mean '{near[0]}'? " if near else "") + f"There are {', '.join(sorted(LEARNERS))}."
        keys.refuse("name", f"there is no learner '{kind}'", hint)
    keys.place = f"{keys.place} ({kind})"
    known = [named.name for named in measures.training]
    trained = keys.texts("train", default=known)
    for name in trained:
        if name not in known:
            keys.refuse("train", f"'{name}' is no training measure", f"there are {', '.join(known)}.")
    grid = keys.take("grid", dict, default={})
    for name, values in grid.items():
        if not isinstance(values, list) or not values:
            keys.refuse("grid", f"'{name}' has {values!r}, not a list of values", f"write {name} = [1, 2].")
    made = Contender(
        label=keys.text("label", default=kind),
        kind=kind,
        seeds=_seeds(keys, seeds),
        training=tuple(trained),
        grid={name: [_value(kind, name, one) for one in values] for name, values in grid.items()},
        fixed={name: _value(kind, name, value) for name, value in {**scaling, **keys.rest()}.items()},
    )
    _check(keys, made, measures)
    return made


def _value(kind: str, name: str, value: Any) -> Any:
    """TOML has no word for nothing: "none" is it, where a parameter may be None."""
    if value == "none" and "None" in _declared(kind).get(name, ""):
        return None
    return tuple(value) if isinstance(value, list) else value


def _declared(kind: str) -> dict[str, str]:
    """The type of each parameter, as the learner's class says it."""
    from rankwise.learners import learner

    return {f.name: str(f.type) for f in fields(learner(kind))}


def _check(keys: Keys, made: Contender, measures: _Measures) -> None:
    """Refuses parameters that the learner has not, or that mean nothing to it."""
    declared = [name for name in _declared(made.kind) if name not in OWN]
    for name in (*made.fixed, *made.grid):
        if name in OWN:
            raise keys.error(f"'{name}' is not a parameter of a learner here", f"{OWN[name]}.")
        if name not in declared:
            raise keys.unknown(name, [*declared, *keys.known])
        if name in made.fixed and name in made.grid and name not in FEATURES:
            raise keys.error(f"'{name}' is fixed, and in the grid too", "leave one of them out.")
    for point in made.points():
        try:
            made.learner(point, measures.training[0].measure, measures.select, made.seeds[0], None).check()
        except RankwiseError as error:
            raise PlanError(f"{keys.place}: {error}") from None
        except (TypeError, ValueError) as error:
            raise PlanError(f"{keys.place}: {error}") from None


def _written(tables: Mapping[str, Any]) -> str:
    """Tables as TOML: single keys first."""
    return "\n".join(_lines(tables, ""))


def _lines(table: Mapping[str, Any], prefix: str) -> Iterator[str]:
    for key, value in table.items():
        if not isinstance(value, Mapping) and not _is_tables(value):
            yield f"{_word(key)} = {_literal(value)}"
    for key, value in table.items():
        if _is_tables(value):
            for one in value:
                yield f"\n[[{prefix}{_word(key)}]]"
                yield from _lines(one, f"{prefix}{_word(key)}.")
        elif isinstance(value, Mapping):
            yield f"\n[{prefix}{_word(key)}]"
            yield from _lines(value, f"{prefix}{_word(key)}.")


def _is_tables(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(one, Mapping) for one in value)


def _word(key: str) -> str:
    return key if key.replace("-", "").replace("_", "").isalnum() and key.isascii() else _literal(key)


def _literal(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_literal, value))}]"
    # The rest is spelled alike in JSON.
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (str, bool, int, float)) else repr(str(value))
