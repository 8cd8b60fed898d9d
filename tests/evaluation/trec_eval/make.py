"""Runs trec_eval itself on the cases of this folder and writes down what it prints.

python make.py VERSION PATH_OF_TREC_EVAL
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
OPTIONS = [
    "",
    "-q",
    "-q -c",
    "-n -q -m official -m ndcg_cut.1,3,5",
    "-c -l2",
    "-q -l 2 -m ndcg -m ndcg_cut.2 -m P.1,2 -m recall.2 -m Rprec -m Rndcg -m map_cut.1,2",
    "-q -J -m map -m bpref -m num_ret -m iprec_at_recall..0,.5,1 -m 11pt_avg -m utility",
    "-q -M 2 -m set -m success",
    "-q -J -M3 -m num_ret -m num_rel_ret -m num_nonrel_judged_ret -m map -m P.1,3",
    "-q -m all_trec",
    "-c -J -M3 -l2 -m all_trec",
    "-m recall.3 -m recip_rank -m P.10 -m P.20 -m set_F.0.5 -m 11pt_avg..25,.5,.75 -m Rprec_mult.0.5,2",
    "-c -q -m utility.2,-1,-0.5,0 -m ndcg.1=3,2=9,4=12 -m G.0=1,1=3 -m gm_bpref -m infAP",
]


def main(version: str, program: str) -> None:
    for qrels in sorted(HERE.glob("*.qrels")):
        blocks = []
        for options in OPTIONS:
            words = [program, *shlex.split(options), qrels.name, qrels.with_suffix(".run").name]
            done = subprocess.run(words, cwd=HERE, capture_output=True)
            ends = f"exit {done.returncode}: {done.stderr.decode().strip()}\n" if done.returncode else ""
            blocks.append(f"$ trec_eval {shlex.join(words[1:])}\n{'' if ends else done.stdout.decode()}{ends}")
        qrels.with_suffix(f".{version}.txt").write_text("".join(blocks), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
