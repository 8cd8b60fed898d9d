"""What trec_eval 9.0.8 or 10.0 would print, byte for byte, from our own measures under its convention.

A *family* is what trec_eval calls a measure: one or more lines with a common name, such as P for P_5, P_10, …
The values are those of the tool `trec_eval_9_0_8` or `trec_eval_10_0` (`measures.tools`); what is here is which lines
there are, in which order, how topics are added up, and where trec_eval divides 0 by 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.data.judgments import Qrels, Run
from rankwise.errors import DataError, MeasureError, RankwiseError, message
from rankwise.evaluation.lists import Lists
from rankwise.evaluation.result import EMPTY, MISSING, Outcome, Result
from rankwise.measures import IAP, MEASURES, IPrec, RnDCG, Utility
from rankwise.measures.base import Measure
from rankwise.measures.tools import tool
from rankwise.measures.tools.base import Tool

__all__ = ["VERSIONS", "left_out", "trec_eval_output"]

VERSIONS = ("9.0.8", "10.0")

Values = npt.NDArray[np.float64]


def trec_eval_output(
    qrels: Qrels,
    run: Run,
    *,
    version: str = "9.0.8",
    measures: Sequence[str] = (),
    per_query: bool = False,
    complete: bool = False,
    summary: bool = True,
    level: int = 1,
    judged_only: bool = False,
    depth: int | None = None,
    threads: int | None = None,
) -> str:
    """The text that trec_eval of that version prints for a run.

    `measures` are given as after its `-m`: "map", "ndcg_cut.5,10", "all_trec"; none means "official".
    The others are its options: `per_query` -q, `complete` -c, `summary=False` -n, `level` -l, `judged_only` -J,
    `depth` -M. Where trec_eval would end with an error, so does this; what "all_trec" and its like leave out is told
    by `left_out`.

    >>> qrels = Qrels.of({"q1": {"a": 1, "b": 0, "c": 2}})
    >>> run = Run.of({"q1": {"b": 0.9, "a": 0.8}}, name="mine")
    >>> print(trec_eval_output(qrels, run, measures=["map", "P.1,2", "num_ret"]).expandtabs(), end="")
    num_ret                 all     2
    map                     all     0.2500
    P_1                     all     0.0000
    P_2                     all     0.5000
    """
    _check(version, level, depth)
    which = tool(f"trec_eval_{version.replace('.', '_')}{'_c' if complete else ''}")
    choices = {"rel": level, "unjudged": "removed" if judged_only else "not relevant"}
    families = _families(measures, version)
    lists = Lists.of(qrels, run, threads=threads)
    # Bare gains depend on the labels that occur, so the measures come after the lists.
    asked = _Asked(which, choices, lists.grades.labels)
    lines = [line for name, parameters in families.items() for line in asked.lines(name, parameters)]
    topics = _Topics(lists, asked, version, complete, judged_only, depth)
    result = Result(lists, [(line.name, line.measure) for line in lines if line.measure], keep=depth)
    table = _Table(lines, result, topics)
    text = table.per_query() if per_query else ""
    return text + (table.summary(run.name) if summary else "")


def left_out(measures: Iterable[str], *, version: str = "9.0.8") -> dict[str, str]:
    """The members of the sets among `measures` that are not printed, each with the reason.

    >>> left_out(["all_trec"])
    {'relstring': 'it is the string of the first labels, no number'}
    """
    _check(version, 1, None)
    reasons = _tool(version).unsupported
    members = [name for text in measures for name in _SETS[version].get(text.partition(".")[0], ())]
    return {name: reasons[name] for name in dict.fromkeys(members) if name in reasons}


def _check(version: str, level: int, depth: int | None) -> None:
    if version not in VERSIONS:
        hint = f"there are {' and '.join(VERSIONS)}."
        raise RankwiseError(message(f"trec_eval {version} is not known to this format", hint=hint))
    if level < 0:
        raise RankwiseError(message(f"the level of relevance must be from 0, not {level}"))
    if depth is not None and depth < 1:
        raise RankwiseError(message(f"at least one document a query must be looked at, not {depth}"))


def _tool(version: str) -> Tool:
    return tool(f"trec_eval_{version.replace('.', '_')}")


# The families: which lines a name stands for.


class _Kind(Enum):
    """How the values of topics make that of all, and how both are printed."""

    COUNT = "whole numbers, added up"
    MEAN = "numbers and their mean"
    GEOMETRIC = "nothing for a topic, a geometric mean for all"
    TOPICS = "nothing for a topic, their number for all"
    RUN = "the name of the run"


# For each line: what follows the family's name, and what the measure is given.
_Parameters = list[tuple[str, dict[str, Any]]]
# Reads the parameters after the name (None: there are none); some depend on the labels that occur.
_Takes = Callable[[str | None, Values], _Parameters]


@dataclass(frozen=True, slots=True)
class _Line:
    """One line a topic, and one for all; the kind says how topics are added up and how the value is printed."""

    name: str
    kind: _Kind
    measure: Measure | None = None


@dataclass(frozen=True, slots=True)
class _Family:
    """How the lines of a family are made from the parameters after its name.

    `takes` reads the parameters; None: they are not looked at.
    """

    kind: _Kind = _Kind.MEAN
    takes: _Takes | None = None
    # The tool's name of one member, if the family's own name is none.
    member: str = ""


def _cuts(*default: int) -> _Takes:
    def takes(text: str | None, labels: Values) -> _Parameters:
        cuts = default if text is None else sorted(int(number) for number in _numbers(text))
        if cuts[0] < 1 or len(set(cuts)) < len(cuts):
            raise MeasureError(message(f"cut-offs must be from 1 and differ, not '{text}'"))
        return [(f"_{k}", {"k": k}) for k in cuts]

    return takes


def _fractions(keyword: str, *default: float) -> _Takes:
    def takes(text: str | None, labels: Values) -> _Parameters:
        fractions = default if text is None else sorted(_numbers(text))
        if len(set(fractions)) < len(fractions):
            raise MeasureError(message(f"the numbers of '{text}' must differ"))
        return [(f"_{x:3.2f}", {keyword: x}) for x in fractions]

    return takes


def _whole(keywords: Callable[[list[float]], dict[str, Any]]) -> _Takes:
    """One line, whose name repeats the parameters as they were written."""

    def takes(text: str | None, labels: Values) -> _Parameters:
        return [("", {})] if text is None else [(f"_{text}", keywords(_numbers(text)))]

    return takes


def _levels(levels: list[float]) -> dict[str, Any]:
    if levels != sorted(levels):
        hint = "trec_eval takes them in the order given and misses those that fall."
        raise MeasureError(message("the levels of recall of 11pt_avg must rise", hint=hint))
    return {"levels": levels}


def _utility(weights: list[float]) -> dict[str, Any]:
    if len(weights) != 4 or weights[3] != 0:
        hint = "the fourth weight must be 0: it would need the size of the collection."
        raise MeasureError(message("utility takes four weights", hint=hint))
    return dict(zip(("hit", "noise", "miss"), weights, strict=False))


def _gains(text: str | None, labels: Values) -> _Parameters:
    """Gains of some labels, as in 1=3,2=9; any other label is its own gain."""
    if text is None:
        return [("", {})]
    table = {float(label): max(float(label), 0.0) for label in np.trunc(labels[~np.isnan(labels)])}
    for pair in text.split(","):
        label, equals, gain = pair.partition("=")
        if not (equals and label.isdigit()):
            raise MeasureError(message(f"'{pair}' does not give a label its gain", hint="write it like ndcg.1=3,2=9."))
        table[float(label)] = _number(gain)
    gains = sorted(gain for label, gain in table.items() if label >= 0)
    if any(0 < b - a < 1 for a, b in pairwise(gains)):
        hint = "trec_eval takes two gains that differ by less than 1 for equal when it sorts them; scale them up."
        raise MeasureError(message(f"the gains of '{text}' are too close to each other", hint=hint))
    return [(f"_{text}", {"gain": table})]


def _numbers(text: str) -> list[float]:
    return [_number(word) for word in text.split(",")]


def _number(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise MeasureError(message(f"'{word}' is not a number", hint="parameters look like P.5,10 or ndcg.1=3,2=9."))
    return number


_NINE_CUTS = _cuts(5, 10, 15, 20, 30, 100, 200, 500, 1000)
_LEVELS = tuple(level / 10 for level in range(11))
_MULTIPLES = tuple(tenths / 10 for tenths in range(2, 21, 2))
# In the order of printing, whatever the order of asking.
_FAMILIES = {
    "runid": _Family(_Kind.RUN),
    "num_q": _Family(_Kind.TOPICS),
    "num_ret": _Family(_Kind.COUNT),
    "num_rel": _Family(_Kind.COUNT),
    "num_rel_ret": _Family(_Kind.COUNT),
    "map": _Family(),
    "gm_map": _Family(_Kind.GEOMETRIC),
    "Rprec": _Family(),
    "bpref": _Family(),
    "recip_rank": _Family(),
    "iprec_at_recall": _Family(takes=_fractions("recall", *_LEVELS), member="iprec_at_recall_0.00"),
    "P": _Family(takes=_NINE_CUTS, member="P_5"),
    "recall": _Family(takes=_NINE_CUTS, member="recall_5"),
    "infAP": _Family(),
    "gm_bpref": _Family(_Kind.GEOMETRIC),
    "Rprec_mult": _Family(takes=_fractions("times", *_MULTIPLES), member="Rprec_mult_0.20"),
    "utility": _Family(takes=_whole(_utility)),
    "11pt_avg": _Family(takes=_whole(_levels)),
    "binG": _Family(),
    "G": _Family(takes=_gains),
    "dcg": _Family(takes=_gains),
    "ndcg": _Family(takes=_gains),
    "ndcg_rel": _Family(takes=_gains),
    "Rndcg": _Family(takes=_gains),
    "ndcg_cut": _Family(takes=_NINE_CUTS, member="ndcg_cut_5"),
    "map_cut": _Family(takes=_NINE_CUTS, member="map_cut_5"),
    "relative_P": _Family(takes=_NINE_CUTS, member="relative_P_5"),
    "success": _Family(takes=_cuts(1, 5, 10), member="success_5"),
    "set_P": _Family(),
    "set_relative_P": _Family(),
    "set_recall": _Family(),
    "set_map": _Family(),
    "set_F": _Family(takes=_whole(lambda weights: {"weight": weights[0]})),
    "num_nonrel_judged_ret": _Family(_Kind.COUNT),
    "unj": _Family(takes=_cuts(5, 10, 20), member="unj_5"),
}
_OFFICIAL = (
    "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank",
    "iprec_at_recall", "P",
)  # fmt: skip
_ALL = (
    *_OFFICIAL, "relstring", "recall", "infAP", "gm_bpref", "Rprec_mult", "utility", "11pt_avg", "binG", "G", "ndcg",
    "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success", "set_P", "set_relative_P", "set_recall",
    "set_map", "set_F", "num_nonrel_judged_ret",
)  # fmt: skip
_SET = (
    "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P", "set_recall", "set_relative_P",
    "set_map", "set_F",
)  # fmt: skip
_SETS: dict[str, dict[str, tuple[str, ...]]] = {
    "9.0.8": {"official": _OFFICIAL, "set": _SET, "all_trec": _ALL},
    "10.0": {"official": _OFFICIAL, "set": _SET, "all_trec": (*_ALL, "rbp", "rbp_resid", "unj")},
}


def _families(measures: Sequence[str], version: str) -> dict[str, str | None]:
    """The families that are asked for, in the order of printing, with their parameters."""
    which = _tool(version)
    wanted: set[str] = set()
    parameters: dict[str, str] = {}
    for text in measures or ("official",):
        name, dot, rest = text.partition(".")
        if dot and not rest:
            raise MeasureError(message(f"'{text}' ends where its parameters should be", hint="write it like P.5,10."))
        if dot:
            # The first parameters of a measure are trec_eval's choice where it gets several.
            parameters.setdefault(name, rest)
        members = _SETS[version].get(name)
        if members is None and not _exists(name, which):
            raise _no_measure(name, which)
        wanted.update(members or (name,))
    return {name: parameters.get(name) for name in _FAMILIES if name in wanted}


def _exists(name: str, which: Tool) -> bool:
    family = _FAMILIES.get(name)
    return family is not None and (family.kind == _Kind.RUN or which.spelled(family.member or name) is not None)


def _no_measure(name: str, which: Tool) -> MeasureError:
    if name in which.unsupported:
        return MeasureError(message(f"'{name}' of {which.title} is not supported: {which.unsupported[name]}"))
    from difflib import get_close_matches

    known = [family for family in _FAMILIES if _exists(family, which)]
    near = get_close_matches(name, known, 1)
    hint = f"did you mean '{near[0]}'?" if near else f"it has {', '.join(known)}."
    return MeasureError(message(f"{which.title} has no measure '{name}'", hint=hint))


class _Asked:
    """Our measures for trec_eval's names, under the tool's convention and the options of the call."""

    def __init__(self, which: Tool, choices: dict[str, Any], labels: Values) -> None:
        self.which = which
        self.choices = choices
        self.labels = labels

    def lines(self, name: str, parameters: str | None) -> Iterator[_Line]:
        family = _FAMILIES[name]
        if family.kind == _Kind.RUN:
            yield _Line(name, _Kind.RUN)
            return
        for suffix, given in family.takes(parameters, self.labels) if family.takes else [("", {})]:
            yield _Line(f"{name}{suffix}", family.kind, self.measure(family.member or name, **given))

    def measure(self, word: str, **more: Any) -> Measure:
        spelled = self.which.spelled(word)
        assert spelled is not None, word
        name, parameters = spelled
        return MEASURES[name](convention=self.which.convention_for(name), **{**self.choices, **parameters, **more})


# The topics: which lists are counted, in which order, and what is known of each.


class _Topics:
    """The lists that trec_eval goes through.

    `order` are their places among the lists, by the bytes of their ids; `average_over` is what sums are divided by.
    """

    def __init__(
        self, lists: Lists, asked: _Asked, version: str, complete: bool, judged_only: bool, depth: int | None
    ) -> None:
        self.ids = lists.queries
        assert self.ids is not None
        counted = {"missing": "as is"}
        helpers = {
            "relevant": asked.measure("num_rel", **counted),
            "labelled": asked.measure("num_rel", **counted, rel=0),
            "ever relevant": asked.measure("num_rel", **counted, rel=1),
            "retrieved": asked.measure("num_ret", **counted),
        }
        # 10.0 refuses topics that the run lacks, unless -c counts them.
        result = Result(lists, [("num_q", asked.measure("num_q")), *helpers.items()], keep=depth)
        self.missing = (result["retrieved"].flags & MISSING) != 0
        counted_ones = np.ones(len(lists), bool) if version == "10.0" else ~self.missing
        self.order = sorted(np.flatnonzero(counted_ones).tolist(), key=self._bytes)
        if not self.order:
            raise DataError(message("no query is both judged and in the run", hint="are these the right two files?"))
        self._refuse_unlabelled(result["labelled"].values)
        self.average_over = len(lists) if complete else len(self.order)
        self.relevant = result["relevant"].values
        # 10.0 gives a topic that the run lacks one document that nobody judged.
        self.retrieved = np.where(self.missing & (not judged_only), 1.0, result["retrieved"].values)
        # With -c this number is counted in the judgments, whatever -l says.
        self.ever_relevant = float(result["ever relevant"].values.sum()) if complete else None

    def _bytes(self, topic: int) -> bytes:
        assert self.ids is not None
        return self.ids.text.at(int(self.ids.spans[topic]))

    def name(self, topic: int) -> str:
        assert self.ids is not None
        return self.ids[topic]

    def _refuse_unlabelled(self, labelled: Values) -> None:
        for topic in self.order:
            if not labelled[topic]:
                what = f"query '{self.name(topic)}' has only negative labels, with which trec_eval cannot work"
                raise DataError(message(what, hint="remove the query from the judgments."))


# The least value in a geometric mean.
_LEAST = 0.00001


class _Table:
    """All values, topics by lines, and their text."""

    def __init__(self, lines: Sequence[_Line], result: Result, topics: _Topics) -> None:
        self.lines = lines
        self.topics = topics
        outcomes = iter(result)
        self.columns = [
            _as_trec_eval_has_it(line, next(outcomes), topics) if line.measure else np.zeros(0) for line in lines
        ]

    def per_query(self) -> str:
        """The lines of each topic; geometric means and what is true of the whole run have none."""
        pairs = zip(self.lines, self.columns, strict=True)
        shown = [(line, column) for line, column in pairs if line.kind in (_Kind.COUNT, _Kind.MEAN)]
        rows = []
        for topic in self.topics.order:
            name = self.topics.name(topic)
            rows += [_row(line.name, name, _text(line.kind, float(column[topic]))) for line, column in shown]
        return "".join(rows)

    def summary(self, run: str) -> str:
        """The lines of all topics together."""
        pairs = zip(self.lines, self.columns, strict=True)
        texts = (
            run if line.kind == _Kind.RUN else _text(line.kind, self._over_all(line, column)) for line, column in pairs
        )
        return "".join(_row(line.name, "all", text) for line, text in zip(self.lines, texts, strict=True))

    def _over_all(self, line: _Line, column: Values) -> float:
        topics = self.topics
        values = column[topics.order]
        if line.kind == _Kind.TOPICS:
            return float(topics.average_over)
        if line.name == "num_rel" and topics.ever_relevant is not None:
            return topics.ever_relevant
        if line.kind == _Kind.COUNT:
            return float(values.sum())
        if line.kind == _Kind.GEOMETRIC:
            logs = [math.log(max(value, _LEAST)) for value in values.tolist()]
            absent = (topics.average_over - len(values)) * math.log(_LEAST)
            return math.exp((_added_up(logs) + absent) / topics.average_over)
        return _added_up(values) / topics.average_over


def _added_up(values: Values | list[float]) -> float:
    """The sum, added one by one in the order of topics: the last bit decides how a mean of 0.00625 is rounded."""
    return float(np.add.accumulate(values)[-1])


def _as_trec_eval_has_it(line: _Line, outcome: Outcome, topics: _Topics) -> Values:
    """The values with trec_eval's where it divides 0 by 0, and where it treats a topic without documents apart."""
    measure, values = outcome.measure, outcome.values
    if isinstance(measure, (IPrec, IAP)):
        return np.where((topics.retrieved == 0) & _needs_nothing(measure, topics.relevant), np.nan, values)
    if isinstance(measure, RnDCG):
        # It looks whether anything is relevant before it looks at gains.
        undefined = (outcome.flags & EMPTY) != 0
        return np.where(topics.relevant == 0, 0.0, np.where(undefined, np.nan, values))
    if isinstance(measure, Utility) and line.name != "utility":
        # 10.0 sets a topic that the run lacks to 0 under the bare name only.
        alone = 0.0 + measure.noise * topics.retrieved + measure.miss * topics.relevant
        return np.where(topics.missing, alone, values)
    return values


def _needs_nothing(measure: IPrec | IAP, relevant: Values) -> npt.NDArray[np.bool_]:
    """Where one of the levels of recall is reached before anything has been found."""
    levels = (measure.recall,) if isinstance(measure, IPrec) else measure.levels
    added = 0.9 if "recall-level-truncated" in measure.convention.quirks else 0.5
    nothing = np.zeros(len(relevant), bool)
    for level in levels:
        nothing |= np.floor(level * relevant + added) == 0
    return nothing


def _row(name: str, topic: str, text: str) -> str:
    return f"{name:<22}\t{topic}\t{text}\n"


def _text(kind: _Kind, value: float) -> str:
    if kind in (_Kind.COUNT, _Kind.TOPICS):
        return f"{value:.0f}"
    # C prints the sign that 0/0 has on most machines.
    return "  -nan" if math.isnan(value) else f"{value:6.4f}"
