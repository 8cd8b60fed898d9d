"""Measures and the conventions under which they are computed.

A *measure* turns the labels of one list, read in ranked order, into one number. A *convention* is every choice that its
formula leaves open. One measure a file; `MEASURES` lists them.
"""

from __future__ import annotations

from rankwise.measures.auc import AUC
from rankwise.measures.average_precision import AP
from rankwise.measures.base import Measure
from rankwise.measures.binary_g import BinG
from rankwise.measures.bpref import Bpref
from rankwise.measures.convention import AXES, HOTELS, STANDARD, Convention
from rankwise.measures.counts import NumNonrelRet, NumQ, NumRel, NumRelRet, NumRet
from rankwise.measures.dcg import DCG
from rankwise.measures.err import ERR
from rankwise.measures.f_measure import F
from rankwise.measures.first_relevant import FirstRelevant
from rankwise.measures.graded_average_precision import GradedAP
from rankwise.measures.inferred_average_precision import InfAP
from rankwise.measures.interpolated_average_precision import IAP
from rankwise.measures.interpolated_precision import IPrec
from rankwise.measures.judged import Judged
from rankwise.measures.kendall import Tau
from rankwise.measures.mean_ndcg import MeanNDCG
from rankwise.measures.ndcg import nDCG
from rankwise.measures.ndcg_rel import nDCGrel
from rankwise.measures.normalized_g import G
from rankwise.measures.pair_accuracy import PairAccuracy
from rankwise.measures.pair_agreement import PairAgreement
from rankwise.measures.perfect import Perfect
from rankwise.measures.precision import P
from rankwise.measures.r_precision import Rprec
from rankwise.measures.rbp import RBP
from rankwise.measures.recall import R
from rankwise.measures.reciprocal_rank import RR
from rankwise.measures.rndcg import RnDCG
from rankwise.measures.set_average_precision import SetAP
from rankwise.measures.spearman import Spearman
from rankwise.measures.success import Success
from rankwise.measures.unjudged import Unjudged
from rankwise.measures.utility import Utility
from rankwise.measures.warp_loss import WARPLoss

MEASURES: dict[str, type[Measure]] = {
    kind.name: kind
    for kind in (
        nDCG, DCG, MeanNDCG, AP, GradedAP, RR, P, R, ERR, RBP, Rprec, Bpref, F, Success, InfAP, IPrec, IAP, SetAP,
        Utility, nDCGrel, RnDCG, G, BinG, Judged, Unjudged, NumQ, NumRet, NumRel, NumRelRet, NumNonrelRet,
        AUC, PairAccuracy, PairAgreement, Tau, Spearman, WARPLoss, FirstRelevant, Perfect,
    )
}  # fmt: skip

__all__ = [
    "AP",
    "AUC",
    "AXES",
    "DCG",
    "ERR",
    "HOTELS",
    "IAP",
    "MEASURES",
    "RBP",
    "RR",
    "STANDARD",
    "BinG",
    "Bpref",
    "Convention",
    "F",
    "FirstRelevant",
    "G",
    "GradedAP",
    "IPrec",
    "InfAP",
    "Judged",
    "MeanNDCG",
    "Measure",
    "NumNonrelRet",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "PairAccuracy",
    "PairAgreement",
    "Perfect",
    "R",
    "RnDCG",
    "Rprec",
    "SetAP",
    "Spearman",
    "Success",
    "Tau",
    "Unjudged",
    "Utility",
    "WARPLoss",
    "nDCG",
    "nDCGrel",
]  # fmt: skip
