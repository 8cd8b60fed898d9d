"""The measures once more, slow and plain: the formulas of their docstrings, rank by rank, in pure Python.

A list is `ranked`, its labels by rank, and `outside`, the labels of judged documents that it lacks. NaN stands for a
document that nobody judged. Only the fields of a convention are read, none of its methods.
"""

from __future__ import annotations

import itertools
import math
import struct

from rankwise.measures import Convention, Measure

NAN = math.nan

# The choices of a convention, for one label or rank.


def read(c: Convention, label: float) -> float:
    if math.isnan(label) or c.labels == "as is":
        return label
    table = {} if c.labels == "truncated" else dict(c.labels)
    return table.get(label, float(math.trunc(label)))


def gain(c: Convention, label: float) -> float:
    if math.isnan(label) or (c.negative == "zero" and label < 0):
        return 0.0
    label = read(c, label)
    if c.gain == "linear":
        return label
    if c.gain == "exp2":
        return 2.0**label - 1
    if c.gain == "exp2-int32":
        return float(struct.unpack("<i", struct.pack("<I", ((1 << int(label) % 32) - 1) % 2**32))[0])
    if callable(c.gain):
        import numpy as np

        return float(c.gain(np.array([label]))[0])
    return dict(c.gain).get(label, 0.0)


def discount(c: Convention, rank: int) -> float:
    if c.discount == "log2":
        return 1 / math.log2(rank + 1)
    if c.discount == "ln":
        return 1 / math.log(rank + 1)
    if c.discount == "jarvelin":
        return 1.0 if rank == 1 else 1 / math.log2(rank)
    if c.discount == "reciprocal":
        return 1 / rank
    if callable(c.discount):
        import numpy as np

        return float(c.discount(np.array([float(rank)]))[0])
    return c.discount[rank - 1] if rank <= len(c.discount) else 0.0


def is_relevant(c: Convention, label: float) -> bool:
    if math.isnan(label):
        return False
    if isinstance(c.rel, str):
        return label > float(c.rel.removeprefix(">"))
    if isinstance(c.rel, frozenset):
        return label in c.rel
    return read(c, label) >= c.rel


def level(c: Convention, label: float) -> float:
    """What orders documents by their labels."""
    return 0.0 if math.isnan(label) or (c.negative == "zero" and label < 0) else read(c, label)


def is_removed(c: Convention, label: float) -> bool:
    return c.unjudged == "removed" and (math.isnan(label) or (c.negative == "zero" and label < 0))


# What the formulas share.


def pool(c: Convention, ranked: list[float], outside: list[float]) -> list[float]:
    """The documents that make the ideal and count as relevant."""
    return ranked + outside if c.ideal == "judged" else ranked


def relevant(c: Convention, ranked: list[float], outside: list[float]) -> int:
    return sum(is_relevant(c, label) for label in pool(c, ranked, outside))


def hits(c: Convention, ranked: list[float], k: int) -> int:
    return sum(is_relevant(c, label) for label in ranked[:k])


def sum_of_gains(c: Convention, gains: list[float], k: int) -> float:
    return math.fsum(g * discount(c, i) for i, g in enumerate(gains[:k], 1))


def ideal_gains(c: Convention, ranked: list[float], outside: list[float]) -> list[float]:
    gains = sorted((gain(c, label) for label in pool(c, ranked, outside)), reverse=True)
    return [g for g in gains if g > 0]


def over(a: float, b: float) -> float | None:
    return a / b if b > 0 else None


# The formulas; None where one is undefined.


def dcg(c, k, ranked, outside):
    return sum_of_gains(c, [gain(c, label) for label in ranked], k)


def ndcg(c, k, ranked, outside):
    cut = {"k": k, "none": 10**9, "hits": min(k, len(ranked))}[c.ideal_cut]
    return over(dcg(c, k, ranked, outside), sum_of_gains(c, ideal_gains(c, ranked, outside), cut))


def mean_ndcg(c, k, ranked, outside):
    ranks = range(1, min(k, len(ranked)) + 1)
    ideal = ideal_gains(c, ranked, outside)
    values = [over(dcg(c, i, ranked, outside), sum_of_gains(c, ideal, i)) for i in ranks]
    return None if not values or None in values else math.fsum(values) / len(values)


def precision(c, k, ranked, outside):
    n = len(ranked)
    looked_at = n if k == 10**9 else k
    most = {"k": looked_at, "min(k, n)": min(k, n), "min(k, R)": min(looked_at, relevant(c, ranked, outside))}[c.p_over]
    return over(hits(c, ranked, k), most) or 0.0


def recall(c, k, ranked, outside):
    return over(hits(c, ranked, k), relevant(c, ranked, outside))


def average_precision(c, k, ranked, outside):
    places = [i for i, label in enumerate(ranked[:k], 1) if is_relevant(c, label)]
    total = math.fsum(hits(c, ranked, i) / i for i in places)
    r = relevant(c, ranked, outside)
    if c.ap_over == "hits" and not places:
        return None if r == 0 else 0.0
    return over(total, {"R": r, "min(R, k)": min(r, k), "hits": len(places)}[c.ap_over])


def graded_average_precision(c, k, g, ranked, outside):
    def chance(label):
        # Without probabilities every whole grade is as likely; a common factor does not matter.
        thresholds = dict.fromkeys(range(1, 100), 1.0) if g is None else dict(g)
        return math.fsum(t for grade, t in thresholds.items() if grade <= read(c, label)) if label >= 0 else 0.0

    total = 0.0
    for i, label in enumerate(ranked[:k], 1):
        total += math.fsum(min(chance(label), chance(other)) for other in ranked[:i]) / i
    ideal = sorted((chance(label) for label in pool(c, ranked, outside)), reverse=True)
    found = [chance(label) for label in ranked[:k]]
    return over(total, math.fsum({"R": ideal, "min(R, k)": ideal[:k], "hits": found}[c.ap_over]))


def rank_biased_precision(c, k, p, graded, ranked, outside):
    if not graded:
        return math.fsum((1 - p) * p ** (i - 1) for i, label in enumerate(ranked[:k], 1) if is_relevant(c, label))
    table = [1.0] if c.gmax == "none" else dict(c.gain).values() if isinstance(c.gain, tuple) else [gain(c, c.gmax)]
    most = max(table)
    return math.fsum((1 - p) * p ** (i - 1) * gain(c, label) / most for i, label in enumerate(ranked[:k], 1))


def reciprocal_rank(c, k, ranked, outside):
    if relevant(c, ranked, outside) == 0:
        return None
    first = next((i for i, label in enumerate(ranked[:k], 1) if is_relevant(c, label)), None)
    if first is None:
        return 0.0
    if "float32-reciprocal" in c.quirks:
        return struct.unpack("f", struct.pack("f", 1 / first))[0]
    return 1 / first


def chance(c, label):
    if math.isnan(label) or (c.negative == "zero" and label < 0):
        return 0.0
    return read(c, label) if c.gmax == "none" else (2.0 ** read(c, label) - 1) / 2.0**c.gmax


def err(c, k, ranked, outside):
    if "err-of-none" in c.quirks and not any(chance(c, label) > 0 for label in pool(c, ranked, outside)):
        return None
    value, reads_on = 0.0, 1.0
    for i, label in enumerate(ranked[:k], 1):
        p = chance(c, label)
        value += reads_on * p / i
        reads_on *= 1 - p
    return value


def r_precision(c, times, ranked, outside):
    r = relevant(c, ranked, outside)
    rank = math.floor(times * r + 0.9)
    return None if r == 0 else over(hits(c, ranked, rank), rank) or 0.0


def bpref(c, k, ranked, outside):
    def wrong(labels):
        return sum(label >= 0 and not is_relevant(c, label) for label in labels)

    r, n = relevant(c, ranked, outside), wrong(pool(c, ranked, outside))
    value = 0.0
    for i, label in enumerate(ranked):
        if is_relevant(c, label):
            above = wrong(ranked[:i])
            value += 1 - min(above, r) / min(n, r) if above else 1.0
    return over(value, r)


def interpolated_precision(c, recall, ranked, outside):
    r = relevant(c, ranked, outside)
    needed = math.floor(recall * r + (0.9 if "recall-level-truncated" in c.quirks else 0.5))
    found = [hits(c, ranked, i) / i for i in range(1, len(ranked) + 1) if hits(c, ranked, i) >= needed]
    return None if r == 0 else max(found, default=0.0)


def success(c, k, ranked, outside):
    return float(hits(c, ranked, k) > 0)


def judged(c, k, ranked, outside):
    n = len(ranked)
    looked_at = n if k == 10**9 else k
    least = -math.inf if "negative-judged" in c.quirks else 0
    pooled = sum(label >= least for label in pool(c, ranked, outside))
    most = {"k": looked_at, "min(k, n)": min(k, n), "min(k, R)": min(looked_at, pooled)}[c.p_over]
    return over(sum(label >= least for label in ranked[:k]), most) or 0.0


def unjudged(c, k, ranked, outside):
    # P of the documents that nobody judged: none of the ideal ones is among them.
    n = len(ranked)
    looked_at = n if k == 10**9 else k
    none = sum(not label >= 0 for label in ranked[:k])
    pooled = sum(not label >= 0 for label in pool(c, ranked, outside) if not math.isnan(label) or c.ideal == "list")
    most = {"k": looked_at, "min(k, n)": min(k, n), "min(k, R)": min(looked_at, pooled)}[c.p_over]
    return over(none, most) or 0.0


def f_measure(c, k, weight, ranked, outside):
    p, r = precision(c, k, ranked, outside), recall(c, k, ranked, outside)
    return None if r is None else over((weight + 1) * p * r, weight * p + r) or 0.0


def set_average_precision(c, k, ranked, outside):
    h = hits(c, ranked, 10**9)
    r = relevant(c, ranked, outside)
    return None if r == 0 else over(h * h, len(ranked) * r) or 0.0


def inferred_average_precision(c, k, ranked, outside):
    total, e = 0.0, 0.00001
    for i, label in enumerate(ranked, 1):
        if is_relevant(c, label):
            above = ranked[: i - 1]
            h = hits(c, above, 10**9)
            w = sum(other >= 0 and not is_relevant(c, other) for other in above)
            u = sum(other < 0 for other in above)
            total += (1 + (h + w + u) * (h + e) / (h + w + 2 * e)) / i
    return over(total, relevant(c, ranked, outside))


def binary_g(c, k, ranked, outside):
    others = [sum(not is_relevant(c, other) for other in ranked[:i]) for i in range(len(ranked))]
    total = math.fsum(1 / math.log2(2 + n) for label, n in zip(ranked, others, strict=True) if is_relevant(c, label))
    return over(total, relevant(c, ranked, outside))


def normalized_g(c, k, ranked, outside):
    ideal = ideal_gains(c, ranked, outside)
    costs = [max(g, 1.0) for g in ideal] + [1.0] * len(ranked)
    gains = [gain(c, label) for label in ranked]
    total = math.fsum(
        g / math.log2(2 + math.fsum(costs[:i]) - math.fsum(gains[:i])) for i, g in enumerate(gains, 1) if g
    )
    return over(total, math.fsum(ideal))


def utility(c, weights, ranked, outside):
    h = hits(c, ranked, 10**9)
    return weights[0] * h + weights[1] * (len(ranked) - h) + weights[2] * (relevant(c, ranked, outside) - h)


def ndcg_rel(c, k, ranked, outside):
    ideal = ideal_gains(c, ranked, outside)
    if not ideal:
        return None
    places = [i for i, label in enumerate(ranked, 1) if gain(c, label) > 0]
    values = [dcg(c, i, ranked, outside) / sum_of_gains(c, ideal, i) for i in places]
    at_the_end = dcg(c, 10**9, ranked, outside) / sum_of_gains(c, ideal, 10**9)
    return math.fsum(values + [at_the_end] * (len(ideal) - len(values))) / len(ideal)


def rndcg(c, k, ranked, outside):
    ideal = ideal_gains(c, ranked, outside)
    if not ideal:
        return None
    ends = [i for i in range(1, len(ideal)) if ideal[i] != ideal[i - 1]] + [len(ideal)]
    if len(ranked) > len(ideal) + 1:
        ends.append(len(ranked))
    return math.fsum(dcg(c, e, ranked, outside) / sum_of_gains(c, ideal, e) for e in ends) / len(ends)


# Pairs of documents. Scores say which are tied; by default none are.


def sign(x):
    return (x > 0) - (x < 0)


def pairs(worths, scores=None):
    """Of each pair, the difference of worth and the sign of that of the scores."""
    scores = range(len(worths), 0, -1) if scores is None else scores
    both = zip(worths, scores, strict=True)
    return [(a - b, sign(s - t)) for (a, s), (b, t) in itertools.combinations(both, 2)]


def pair_accuracy(worths, scores=None):
    told_apart = [(1 + sign(worth) * score) / 2 for worth, score in pairs(worths, scores) if worth != 0]
    return over(math.fsum(told_apart), len(told_apart))


def pair_agreement(worths, uniform, scores=None):
    weighed = [(1 if uniform else abs(worth), sign(worth) * score) for worth, score in pairs(worths, scores)]
    return over(math.fsum(w * (1 + agree) for w, agree in weighed), 2 * math.fsum(w for w, _ in weighed))


def kendall(worths, scores=None):
    found = pairs(worths, scores)
    total = sum(sign(worth) * score for worth, score in found)
    return over(total, math.sqrt(sum(worth != 0 for worth, _ in found) * sum(score != 0 for _, score in found)))


def mean_ranks(values):
    """The rank of each value, from the greatest; equal ones share the mean."""
    return [(sum(v > mine for v in values) + sum(v >= mine for v in values) + 1) / 2 for mine in values]


def spearman(worths, scores=None):
    x = mean_ranks(range(len(worths), 0, -1) if scores is None else scores)
    y = mean_ranks(worths)
    mean = (len(worths) + 1) / 2
    spread = math.sqrt(math.fsum((a - mean) ** 2 for a in x)) * math.sqrt(math.fsum((b - mean) ** 2 for b in y))
    return over(math.fsum((a - mean) * (b - mean) for a, b in zip(x, y, strict=True)), spread)


def cost(alpha, rank):
    if isinstance(alpha, tuple):
        return math.fsum(alpha[:rank])
    if alpha == "harmonic":
        return math.fsum(1 / j for j in range(1, rank + 1))
    return float(min(rank, 1 if alpha == "first" else int(alpha[4:])))


def warp_loss(relevants, alpha, scores=None):
    scores = range(len(relevants), 0, -1) if scores is None else scores
    both = list(zip(relevants, scores, strict=True))
    ranks = [sum(s >= mine for other, s in both if not other) for is_one, mine in both if is_one]
    return over(math.fsum(cost(alpha, rank) for rank in ranks), len(ranks))


def of_pairs(measure: Measure, labels, scores=None):
    """The measures that look at scores themselves, where these stay tied."""
    c = measure.convention
    levels, relevants = [level(c, label) for label in labels], [is_relevant(c, label) for label in labels]
    if measure.name == "PairAgreement":
        worths = [gain(c, label) for label in labels] if measure.weights == "gain" else levels
        return pair_agreement(worths, measure.weights == "uniform", scores)
    if measure.name == "WARPLoss":
        return warp_loss(relevants, measure.alpha, scores)
    if measure.name == "AUC":
        return pair_accuracy([float(one) for one in relevants], scores)
    return {"PairAccuracy": pair_accuracy, "Tau": kendall, "Spearman": spearman}[measure.name](levels, scores)


def first_relevant(c, k, ranked, outside):
    return next((float(i) for i, label in enumerate(ranked, 1) if is_relevant(c, label)), None)


def perfect(c, k, ranked, outside):
    return float(all(level(c, a) >= level(c, b) for a, b in itertools.pairwise(ranked)))


FORMULAS = {
    "DCG": dcg, "nDCG": ndcg, "MeanNDCG": mean_ndcg, "P": precision, "R": recall, "AP": average_precision,
    "RR": reciprocal_rank, "ERR": err, "Bpref": bpref, "nDCGrel": ndcg_rel, "RnDCG": rndcg,
    "Success": success, "Judged": judged, "Unjudged": unjudged, "SetAP": set_average_precision,
    "InfAP": inferred_average_precision, "BinG": binary_g, "G": normalized_g, "FirstRelevant": first_relevant,
    "Perfect": perfect,
    "NumQ": lambda c, k, ranked, outside: 1.0,
    "NumRet": lambda c, k, ranked, outside: float(len(ranked)),
    "NumRel": lambda c, k, ranked, outside: float(relevant(c, ranked, outside)),
    "NumRelRet": lambda c, k, ranked, outside: float(hits(c, ranked, k)),
    "NumNonrelRet": lambda c, k, ranked, outside: float(
        sum(label >= 0 and not is_relevant(c, label) for label in ranked)
    ),
}  # fmt: skip


def formula(measure: Measure, ranked: list[float], outside: list[float]) -> float | None:
    c = measure.convention
    if measure.name == "IPrec":
        return interpolated_precision(c, measure.recall, ranked, outside)
    if measure.name == "IAP":
        values = [interpolated_precision(c, level, ranked, outside) for level in measure.levels]
        return None if None in values else math.fsum(values) / len(values)
    if measure.name == "Rprec":
        return r_precision(c, measure.times, ranked, outside)
    if measure.name == "Utility":
        return utility(c, (measure.hit, measure.noise, measure.miss), ranked, outside)
    if measure.keeps_ties:
        return of_pairs(measure, ranked)
    k = 10**9 if measure.k is None or c.cut == "ignored" else measure.k
    if measure.name == "F":
        return f_measure(c, k, measure.weight, ranked, outside)
    if measure.name == "GradedAP":
        return graded_average_precision(c, k, measure.g, ranked, outside)
    if measure.name == "RBP":
        return rank_biased_precision(c, k, measure.p, measure.graded, ranked, outside)
    return FORMULAS[measure.name](c, k, ranked, outside)


def value(measure: Measure, ranked: list[float], outside: list[float] = ()) -> float:
    """The value of one list in this very order, with what the convention says of empty and short lists."""
    c, ranked, outside = measure.convention, list(ranked), list(outside)
    if c.unjudged == "removed":
        ranked = [label for label in ranked if not is_removed(c, label)]
    found = formula(measure, ranked, outside)
    if found is None:
        return NAN if isinstance(c.empty, str) else c.empty
    if c.short == "zero" and measure.k is not None and c.cut == "kept" and len(ranked) < measure.k:
        return 0.0
    return found


# Ties.


def blocks(scores: list[float], *, single: bool = False) -> list[list[int]]:
    """Rows by falling score, those of equal scores together in the order given."""
    if single:
        scores = [struct.unpack("f", struct.pack("f", s))[0] for s in scores]
    rows = sorted(range(len(scores)), key=lambda row: -scores[row])
    return [list(block) for _, block in itertools.groupby(rows, key=lambda row: scores[row])]


def orders(labels: list[float], scores: list[float], **how: bool) -> list[list[float]]:
    """Every order that equal scores leave open, as labels; each as often as any other."""
    labels = [NAN if math.isnan(label) else label for label in labels]  # one NaN, that a set sees as one
    ways = [sorted(set(itertools.permutations([labels[row] for row in b])), key=str) for b in blocks(scores, **how)]
    return [list(itertools.chain(*way)) for way in itertools.product(*ways)]


def over_orders(measure: Measure, labels, scores, outside=()) -> tuple[float, float, float]:
    """The mean, the greatest and the least value over all orders of ties."""
    kept = [i for i, label in enumerate(labels) if not is_removed(measure.convention, label)]
    single = measure.convention.precision == "float32"
    open_orders = orders([labels[i] for i in kept], [scores[i] for i in kept], single=single)
    values = [value(measure, ranked, outside) for ranked in open_orders]
    return math.fsum(values) / len(values), max(values), min(values)


def with_ties_kept(measure: Measure, labels, scores) -> float:
    """The value of one list of which equal scores stay tied."""
    kept = [i for i, label in enumerate(labels) if not is_removed(measure.convention, label)]
    if measure.convention.precision == "float32":
        scores = [struct.unpack("f", struct.pack("f", s))[0] for s in scores]
    found = of_pairs(measure, [labels[i] for i in kept], [scores[i] for i in kept])
    empty = measure.convention.empty
    return (NAN if isinstance(empty, str) else empty) if found is None else found


def selection_sorted(scores: list[float]) -> list[int]:
    """Rows as RankLib 1 leaves them: the first greatest score that remains is swapped to the front."""
    rows = list(range(len(scores)))
    for place in range(len(rows)):
        best = place
        for other in range(place + 1, len(rows)):
            if scores[rows[other]] > scores[rows[best]]:
                best = other
        rows[place], rows[best] = rows[best], rows[place]
    return rows


def settled(ties: str, scores: list[float], documents: list[str], *, single: bool = False) -> list[int]:
    """Rows in the order of a rule that leaves no tie open."""
    if ties == "selection-sort":
        return selection_sorted([struct.unpack("f", struct.pack("f", s))[0] for s in scores] if single else scores)
    arrange = {
        "input": lambda block: block,
        "reversed": lambda block: block[::-1],
        "docid": lambda block: sorted(block, key=lambda row: documents[row].encode()),
        "docid-desc": lambda block: sorted(block, key=lambda row: documents[row].encode(), reverse=True),
    }[ties]
    return [row for block in blocks(scores, single=single) for row in arrange(block)]
