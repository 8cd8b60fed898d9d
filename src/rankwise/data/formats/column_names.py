"""Which column is which: names that evaluation tools and data sets use, and those that a caller gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rankwise.errors import DataError, message

__all__ = ["KNOWN", "chosen", "refuse_unknown"]

# What a column is → its names in ir_measures, PyTerrier, ranx, Hugging Face's retrieval sets, recommenders.
KNOWN: Mapping[str, tuple[str, ...]] = {
    "query": ("query_id", "qid", "q_id", "query-id", "userID", "user_id"),
    "document": ("doc_id", "docno", "docid", "corpus-id", "itemID", "item_id"),
    "label": ("relevance", "label", "rating"),
    "score": ("score", "prediction"),
}
# How a column is named, where an argument of the same name is not all.
NAMED = {
    "label": "`label=` (`--label`), or those of events with `labels={'booked': 5, 'clicked': 1}` "
    "(`--label booked=5,clicked=1`)"
}


def chosen(
    what: str,
    given: str | None,
    names: Sequence[str],
    place: str,
    *,
    wanted: bool = True,
    known: Mapping[str, Sequence[str]] = KNOWN,
) -> str | None:
    """The column that is `what`: the one a caller names, else the one known name that is there.

    Without any, a refusal if the column is `wanted`.
    """
    if given is not None:
        refuse_unknown([given], names, place)
        return given
    found = [name for name in known[what] if name in names]
    if len(found) > 1:
        which = " and ".join(f"'{name}'" for name in found)
        raise DataError(
            message(f"{which} may each be the {what}", place=place, hint=f"say which: {what}='{found[0]}'.")
        )
    if not found and wanted:
        understood = ", ".join(known[what])
        how = NAMED.get(what, f"`{what}=` (`--{what}`)")
        hint = f"name it with {how}; one of {understood} is understood without; {listed(names)}"
        raise DataError(message(f"no column is known to be the {what}", place=place, hint=hint))
    return found[0] if found else None


def refuse_unknown(given: Iterable[str], names: Sequence[str], place: str) -> None:
    """Refuses a name that no column has."""
    for name in given:
        if not isinstance(name, str):
            raise DataError(message(f"a column is named by text, not by {name!r}", place=place))
        if name not in names:
            raise DataError(message(f"there is no column '{name}'", place=place, hint=listed(names)))


def listed(names: Sequence[str]) -> str:
    """The columns found, for a hint."""
    more = f" and {len(names) - 60} more" if len(names) > 60 else ""
    shown = [name if name.isprintable() and len(name) <= 60 else f"{name[:60]!r}…" for name in names[:60]]
    return f"the columns are {', '.join(shown)}{more}."
