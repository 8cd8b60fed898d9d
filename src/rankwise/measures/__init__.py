"""Measures and the conventions under which they are computed.

A *measure* turns the labels of one list, read in ranked order, into one number. A *convention* is every choice that its
formula leaves open. One measure a file; `MEASURES` lists them.
"""

from __future__ import annotations

from rankwise.measures.average_precision import AP
from rankwise.measures.base import Measure
from rankwise.measures.binary_g import BinG
from rankwise.measures.bpref import Bpref
from rankwise.measures.convention import AXES, HOTELS, STANDARD, Convention
from rankwise.measures.counts import NumNonrelRet, NumQ, NumRel, NumRelRet, NumRet
from rankwise.measures.dcg import DCG
from rankwise.measures.err import ERR
from rankwise.measures.f_measure import F
from rankwise.measures.inferred_average_precision import InfAP
from rankwise.measures.interpolated_average_precision import IAP
from rankwise.measures.interpolated_precision import IPrec
from rankwise.measures.mean_ndcg import MeanNDCG
from rankwise.measures.ndcg import nDCG
from rankwise.measures.ndcg_rel import nDCGrel
from rankwise.measures.normalized_g import G
from rankwise.measures.precision import P
from rankwise.measures.r_precision import Rprec
from rankwise.measures.recall import R
from rankwise.measures.reciprocal_rank import RR
from rankwise.measures.rndcg import RnDCG
from rankwise.measures.set_average_precision import SetAP
from rankwise.measures.success import Success
from rankwise.measures.unjudged import Unjudged
from rankwise.measures.utility import Utility

MEASURES: dict[str, type[Measure]] = {
    kind.name: kind
    for kind in (
        nDCG, DCG, MeanNDCG, AP, RR, P, R, ERR, Rprec, Bpref, F, Success, InfAP, IPrec, IAP, SetAP, Utility,
        nDCGrel, RnDCG, G, BinG, Unjudged, NumQ, NumRet, NumRel, NumRelRet, NumNonrelRet,
    )
}  # fmt: skip

__all__ = [
    "AP",
    "AXES",
    "DCG",
    "ERR",
    "HOTELS",
    "IAP",
    "MEASURES",
    "RR",
    "STANDARD",
    "BinG",
    "Bpref",
    "Convention",
    "F",
    "G",
    "IPrec",
    "InfAP",
    "MeanNDCG",
    "Measure",
    "NumNonrelRet",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "R",
    "RnDCG",
    "Rprec",
    "SetAP",
    "Success",
    "Unjudged",
    "Utility",
    "nDCG",
    "nDCGrel",
]  # fmt: skip
