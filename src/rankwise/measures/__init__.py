"""Measures and the conventions under which they are computed.

A *measure* turns the labels of one list, read in ranked order, into one number. A *convention* is every choice that its
formula leaves open. One measure a file; `MEASURES` lists them.
"""

from __future__ import annotations

from rankwise.measures.average_precision import AP
from rankwise.measures.base import Measure
from rankwise.measures.bpref import Bpref
from rankwise.measures.convention import AXES, HOTELS, STANDARD, Convention
from rankwise.measures.counts import NumQ, NumRel, NumRelRet, NumRet
from rankwise.measures.dcg import DCG
from rankwise.measures.err import ERR
from rankwise.measures.interpolated_precision import IPrec
from rankwise.measures.mean_ndcg import MeanNDCG
from rankwise.measures.ndcg import nDCG
from rankwise.measures.ndcg_rel import nDCGrel
from rankwise.measures.precision import P
from rankwise.measures.r_precision import Rprec
from rankwise.measures.recall import R
from rankwise.measures.reciprocal_rank import RR
from rankwise.measures.rndcg import RnDCG

MEASURES: dict[str, type[Measure]] = {
    kind.name: kind
    for kind in (nDCG, DCG, MeanNDCG, AP, RR, P, R, ERR, Rprec, Bpref, IPrec, nDCGrel, RnDCG, NumQ, NumRet, NumRel, NumRelRet)
}

__all__ = [
    "AP", "AXES", "DCG", "ERR", "HOTELS", "MEASURES", "RR", "STANDARD", "Bpref", "Convention", "IPrec", "MeanNDCG",
    "Measure", "NumQ", "NumRel", "NumRelRet", "NumRet", "P", "R", "RnDCG", "Rprec", "nDCG", "nDCGrel",
]  # fmt: skip
