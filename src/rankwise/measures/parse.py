"""Text → measures: `nDCG(gain='linear')@10`, `letor4:nDCG@1..10`, `trec_eval:ndcg_cut_10`.

The grammar is `[convention:]Name[(choice=value, …)][@k]`, and `@a..b` for several cut-offs. After a tool's prefix the
tool's own names are understood too. Without a prefix the names that other tools use are names only: the measure is
that of the default convention.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rankwise.errors import MeasureError, message
from rankwise.measures import MEASURES
from rankwise.measures.base import Measure
from rankwise.measures.convention import AXES, Convention
from rankwise.measures.tools import ALIASES, PRESETS, convention, names, tool
from rankwise.measures.tools.base import match
from rankwise.measures.user import PREFIX

__all__ = ["measure", "measures"]

# Names that other tools and the field give to measures, understood as the names only.
SYNONYMS: dict[str, str] = {
    **{f"{word}{at}{{k}}": name for name, words in {
        "nDCG": ("ndcg_cut", "ndcg", "NDCG"),
        "DCG": ("dcg", "DCG"),
        "AP": ("map_cut", "map", "MAP"),
        "RR": ("mrr", "MRR", "rr"),
        "P": ("P", "p", "precision", "Precision"),
        "R": ("recall", "Recall", "R"),
        "ERR": ("err",),
        "F": ("f1", "F1"),
        "Success": ("success", "hit_rate", "HR", "hr", "HitRate", "hit", "hitrate"),
        "Judged": ("judged",),
    }.items() for word in words for at in ("@", "_", "_at_")},
    "ndcg": "nDCG", "NDCG": "nDCG", "dcg": "DCG",
    "map": "AP", "MAP": "AP", "mrr": "RR", "MRR": "RR", "recip_rank": "RR", "err": "ERR",
    "R-prec": "Rprec", "r-precision": "Rprec", "bpref": "Bpref", "BPref": "Bpref",
    "Precision": "P", "precision": "P", "Recall": "R", "recall": "R", "mean_ndcg": "MeanNDCG",
    "auc": "AUC", "roc_auc": "AUC", "pair_accuracy": "PairAccuracy", "pairwise_accuracy": "PairAccuracy",
    "pair_agreement": "PairAgreement", "tau": "Tau", "tau_b": "Tau", "kendall": "Tau", "kendalltau": "Tau",
    "spearman": "Spearman", "spearmanr": "Spearman", "warp": "WARPLoss", "warp_loss": "WARPLoss",
    "first_relevant": "FirstRelevant", "perfect": "Perfect",
    "f1": "F", "F1": "F", "hit_rate": "Success", "rbp": "RBP", "infAP": "InfAP", "gap": "GradedAP", "GAP": "GradedAP",
    # ranx's `hits`: how many relevant documents were retrieved.
    "hits": "NumRelRet",
    "num_ret": "NumRet", "num_rel": "NumRel", "num_rel_ret": "NumRelRet",
}  # fmt: skip

# Names that mean one thing here and another there, and what to write instead.
UNCLEAR: dict[str, str] = {
    **{f"{word}{at}{{k}}": "it is the number of relevant documents in the first k, or whether there is one: write "
       "NumRelRet@{k} for the number, Success@{k} for the hit rate."
       for word in ("hits", "Hits") for at in ("@", "_", "_at_")},
    "rbp.{k}": "write its persistence as a parameter, like RBP(p=0.95).",
}  # fmt: skip


def measure(text: str, default: Convention | str | None = None) -> Measure:
    """One measure from its text; `default` is the convention of a text without a prefix.

    >>> measure("letor4:MeanNDCG"), measure("trec_eval:ndcg_cut_10"), measure("map")
    (letor4:MeanNDCG, trec_eval_9_0_8:nDCG@10, AP)
    >>> measure("ndgc@10")
    Traceback (most recent call last):
    rankwise.errors.MeasureError: there is no measure 'ndgc@10'
    Hint: did you mean 'ndcg@10'?
    """
    found = measures(text, default)
    if len(found) != 1:
        raise MeasureError(message(f"'{text}' names {len(found)} measures where one is wanted"))
    return found[0]


def measures(text: str, default: Convention | str | None = None) -> list[Measure]:
    """The measures that a text names: one, or several with `@a..b`.

    >>> measures("P@1..3")
    [P@1, P@2, P@3]
    """
    if not isinstance(text, str):
        raise MeasureError(message(f"the text of a measure is wanted, not {text!r}", hint="write it like nDCG@10."))
    text = text.strip()
    head, dots, last = text.partition("..")
    if dots:
        stem, at, first = head.rpartition("@")
        numbers = (first + last).isascii() and first.isdigit() and last.isdigit() and len(last) < 7
        if not (at and numbers and 1 <= int(first) <= int(last) <= 100_000):
            raise MeasureError(message(f"'{text}' is not a range of cut-offs", hint="write it like nDCG@1..10."))
        return [_one(f"{stem}@{k}", default) for k in range(int(first), int(last) + 1)]
    return [_one(text, default)]


def _one(text: str, default: Convention | str | None) -> Measure:
    _refuse_functions_of_users(text)
    prefix, colon, rest = text.partition(":")
    if colon and "(" not in prefix and (prefix in PRESETS or prefix in ALIASES or prefix in names()):
        return _prefixed(text, prefix, rest)
    if isinstance(default, str) and default not in PRESETS and tool(default).spelled(text) is not None:
        return _prefixed(text, default, text)
    _refuse_conventions_in_disguise(text, prefix if colon and "(" not in prefix else "")
    if isinstance(default, str):
        return _prefixed(text, default, text, synonyms=True)
    found = _grammar(text, default)
    if found is None:
        raise _unknown(text, [*MEASURES, *SYNONYMS])
    return found


def _prefixed(text: str, prefix: str, rest: str, *, synonyms: bool = False) -> Measure:
    if prefix in PRESETS:
        found = _grammar(rest, prefix)
        if found is None:
            raise _unknown(text, [*MEASURES, *SYNONYMS], prefix)
        return found
    which = tool(prefix)
    reason = which.refusal(rest)
    if reason is not None:
        raise MeasureError(message(f"'{rest}' of {which.title} is not supported: {reason}"))
    spelled = which.spelled(rest)
    if spelled is not None:
        name, parameters = spelled
        return MEASURES[name](convention=which.convention_for(name, parameters.get("k")), **parameters)
    found = _grammar(rest, which.name, synonyms=synonyms)
    if found is None:
        raise _unknown(text, [*which.names, *which.measures], prefix, has=which.measures)
    if found.name not in which.measures:
        hint = f"it has {', '.join(which.measures)}; for {found.name} choose another convention."
        raise MeasureError(message(f"{which.title} does not compute {found.name}", hint=hint))
    return found


def _grammar(text: str, default: Convention | str | None, *, synonyms: bool = True) -> Measure | None:
    """`Name[(choices)][@k]`, or a synonym; None if the name is unknown."""
    head, at, k = text.rpartition("@")
    if not (at and k.isascii() and k.isdigit()):
        head, k = text, ""
    if "@" in head.partition("(")[0]:
        return None
    name, bracket, inside = head.partition("(")
    if bracket and not inside.endswith(")"):
        raise MeasureError(message(f"'{text}' lacks a closing bracket", hint="write it like nDCG(gain='linear')@10."))
    choices = _choices(text, inside[:-1]) if bracket else {}
    kind = MEASURES.get(name)
    if kind is None and synonyms and not bracket:
        _refuse_unclear(text)
        for pattern, known in SYNONYMS.items():
            found = match(pattern, text)
            if found is not None:
                cut = found if "{k}" in pattern else None
                return MEASURES[known](cut, convention=_for(known, cut, default))
    if kind is None and synonyms:
        kind = MEASURES.get(SYNONYMS.get(name, ""))
    if kind is None:
        return None
    if "convention" in choices:
        hint = f"write it before the measure, like letor4:{name}."
        raise MeasureError(message(f"'{text}' names a convention in its brackets", hint=hint))
    if k and "k" in choices:
        raise MeasureError(message(f"'{text}' has two cut-offs", hint="leave one of them out."))
    cut = int(k) if k else choices.pop("k", None)
    return kind(cut, convention=_for(kind.name, cut, default), **choices)


def _refuse_unclear(text: str) -> None:
    for pattern, hint in UNCLEAR.items():
        k = match(pattern, text)
        if k is not None:
            raise MeasureError(message(f"'{text}' is not clear", hint=hint.replace("{k}", str(k))))


def _for(name: str, k: int | None, default: Convention | str | None) -> Convention | None:
    return convention(ALIASES.get(default, default), name, k) if isinstance(default, str) else default


# Arguments in Python that are no choices of a convention.
_NO_CHOICES = ("name", "self")


def _choices(text: str, inside: str) -> dict[str, Any]:
    """`gain='linear', rel=2` as a dictionary of literals; nothing is evaluated."""
    import ast

    try:
        call = ast.parse(f"_({inside})", mode="eval").body
        assert isinstance(call, ast.Call)
        by_name = not call.args and all(word.arg for word in call.keywords)
        found = {str(word.arg): ast.literal_eval(word.value) for word in call.keywords} if by_name else None
        why = "" if by_name else " (choices are given by name)"
    except (SyntaxError, ValueError, TypeError, AssertionError, RecursionError, MemoryError):
        found, why = None, ""
    if found is None:
        hint = f"write it like nDCG(gain='linear', ties='worst')@10; the choices are {', '.join(list(AXES)[:6])}, …"
        raise MeasureError(message(f"the choices in '{text}' cannot be read{why}", hint=hint))
    for word in _NO_CHOICES:
        if word in found:
            hint = f"the choices are {', '.join(list(AXES)[:6])}, …"
            raise MeasureError(message(f"'{word}' in '{text}' is not a choice", hint=hint))
    return found


def _refuse_functions_of_users(text: str) -> None:
    if text.startswith(PREFIX):
        name = text.removeprefix(PREFIX).partition("(")[0]
        hint = f"make the measure in Python: user_measure({name!r}, function)."
        raise MeasureError(message(f"'{text}' is a user's function, which no text holds", hint=hint))


def _refuse_conventions_in_disguise(text: str, prefix: str) -> None:
    """A spelling that carries another convention must say whose it is."""
    if prefix and {prefix} & {*tool("catboost").names, *tool("catboost").unsupported}:
        hint = f"it is CatBoost's; write catboost:{text}, or nDCG@10 for the default convention."
        raise MeasureError(message(f"'{text}' carries a convention of its own", hint=hint))
    if text.endswith("-") and text[:-1].partition("@")[0].lower() in ("ndcg", "map", "pre"):
        hint = f"it is XGBoost's; write xgboost:{text}, or {text[:-1]} for the default convention."
        raise MeasureError(message(f"'{text}' carries a convention of its own", hint=hint))
    if prefix:
        from difflib import get_close_matches

        known = [*names(), *ALIASES]
        near = get_close_matches(prefix, known, 1)
        hint = (f"did you mean '{near[0]}'? " if near else "") + f"The names are {', '.join(known)}."
        raise MeasureError(message(f"there is no convention '{prefix}' (in '{text}')", hint=hint))


def _unknown(text: str, known: Iterable[str], prefix: str = "", has: Iterable[str] = MEASURES) -> MeasureError:
    from difflib import get_close_matches

    word = text.removeprefix(f"{prefix}:") if prefix else text
    stem, at, k = word.rpartition("@")
    if (
        at
        and not (k.isascii() and k.isdigit())
        and (stem.partition("(")[0] in MEASURES or SYNONYMS.get(stem) in MEASURES)
    ):
        what = f"the cut-off in '{text}' is '{k}', not a whole number from 1"
        return MeasureError(message(what, hint=f"write it like {text.rpartition('@')[0]}@10."))
    suffix = at + k if k.isdigit() else ""
    candidates = sorted(
        {name + suffix if name in MEASURES else name.replace("{k}", k if k.isdigit() else "10") for name in known}
    )
    near = [name for name in candidates if name.lower() == word.lower()] or get_close_matches(word, candidates, 1)
    if near:
        hint = f"did you mean '{prefix + ':' if prefix else ''}{near[0]}'?"
    else:
        own = f"; `rankwise conventions {prefix}` lists its own names" if prefix and prefix not in PRESETS else ""
        hint = f"the measures are {', '.join(has)}{own}."
    return MeasureError(message(f"there is no measure '{text}'", hint=hint))
