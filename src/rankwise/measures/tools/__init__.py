"""Emulated tools: one a file, all its versions in it. A new tool is a file and a line in `FILES`."""

from __future__ import annotations

from importlib import import_module

from rankwise.errors import ConventionError, message
from rankwise.measures.convention import HOTELS, STANDARD, Convention
from rankwise.measures.tools.base import Tool

__all__ = ["ALIASES", "FILES", "PRESETS", "computes", "convention", "means_another", "names", "tool"]

# Which file emulates which names; a file is imported when one of its names is asked for.
FILES: dict[str, tuple[str, ...]] = {
    "letor3": ("letor3",),
    "letor4": ("letor4",),
    "mslr": ("mslr",),
    "yahoo": ("yahoo_v1_0", "yahoo_v0_5"),
    "ranklib": ("ranklib1", "ranklib1_busarobi", "ranklib1_letor", "ranklib2_1", "ranklib2", "ranklib2_qrel"),
    "trec_eval": (
        "trec_eval_8_1", "trec_eval_9_0a3", "trec_eval_9_0_8", "trec_eval_9_0_8_c", "trec_eval_10_0",
        "trec_eval_10_0_c",
    ),
    "pytrec_eval": ("pytrec_eval",),
    "ir_measures": ("ir_measures",),
    "gdeval": ("gdeval",),
    "ranx": ("ranx",),
    "sklearn": ("sklearn",),
    "lightgbm": ("lightgbm", "lightgbm_linear"),
    "xgboost": ("xgboost",),
    "catboost": ("catboost",),
    "torchmetrics": ("torchmetrics",),
    "rax": ("rax",),
}  # fmt: skip
# Understood, never printed.
ALIASES = {"yahoo": "yahoo_v1_0", "ranklib": "ranklib2_qrel", "trec_eval": "trec_eval_9_0_8"}
PRESETS: dict[str, Convention] = {"standard": STANDARD, "hotels": HOTELS}


def names() -> list[str]:
    """Every name of a convention: the presets, then the tools."""
    return [*PRESETS, *(name for versions in FILES.values() for name in versions)]


def tool(name: str) -> Tool:
    """The tool of that name or alias.

    >>> tool("yahoo").name
    'yahoo_v1_0'
    """
    if not isinstance(name, str):
        raise ConventionError(
            message(f"a convention or its name is wanted, not {name!r}", hint="give a name such as 'letor4'.")
        )
    wanted = ALIASES.get(name, name)
    for file, versions in FILES.items():
        if wanted in versions:
            tools: tuple[Tool, ...] = import_module(f"{__name__}.{file}").TOOLS
            return next(t for t in tools if t.name == wanted)
    from difflib import get_close_matches

    known = [*names(), *ALIASES]
    near = get_close_matches(name, known, 1)
    hint = f"did you mean '{near[0]}'? " if near else ""
    raise ConventionError(message(f"there is no convention '{name}'", hint=f"{hint}The names are {', '.join(known)}."))


def computes(name: str, measure: str) -> bool:
    """Whether there is a convention of that name which has this measure.

    >>> computes("letor4", "nDCG"), computes("letor4", "ERR"), computes("mine", "nDCG")
    (True, False, False)
    """
    return name in PRESETS or (name in names() and measure in tool(name).measures)


def means_another(name: str, measure: str) -> bool:
    """Whether a tool's own word for something else is the name of a measure, as RankLib's P, which is P@10.

    >>> means_another("ranklib2", "P"), means_another("ranklib2", "ERR"), means_another("letor4", "P")
    (True, True, False)
    """
    return name not in PRESETS and tool(name).spelled(measure) not in (None, (measure, {}))


def convention(name: str, measure: str = "", k: int | None = None) -> Convention:
    """The convention of that name, as it is for one measure, cut at k or not.

    >>> convention("letor4", "nDCG").short, convention("letor4", "P").short
    ('zero', 'as is')
    """
    if isinstance(name, str) and name in PRESETS:
        from rankwise.measures import MEASURES

        return PRESETS[name].but(**MEASURES[measure].preset_choices) if measure in MEASURES else PRESETS[name]
    return tool(name).convention_for(measure, k)
