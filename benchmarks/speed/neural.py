"""An epoch of ListNet and RankNet beside torch: python benchmarks/speed/neural.py --data FOLDER_WITH_mq2008

The same network (64 tanh units) and batches of 32 lists in both; torch, if it is installed, on one thread and
on two. Prints the fastest of ten epochs, and how long a first call takes, compilation included.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from rankwise import Dataset, read_letor
from rankwise.learners import learner
from rankwise.learners.training import Training
from rankwise.measures import nDCG
from rankwise.rankers import Inputs

HIDDEN = (64,)


def wide(lists: int = 1000, features: int = 136) -> Dataset:
    """As large as a part of MSLR: about 105 documents a list."""
    rng = np.random.default_rng(11)
    sizes = np.clip(rng.lognormal(np.log(95), 0.45, lists).astype(int), 5, 400)
    table = rng.normal(size=(sizes.sum(), features)).astype(np.float32)
    labels = np.digitize(table[:, :5].sum(axis=1) + 2 * rng.normal(size=len(table)), [0, 2, 4, 6])
    return Dataset.of(table, labels, group=sizes)


def fastest(epoch: Any, times: int = 10) -> tuple[float, float]:
    """Seconds of the first epoch, and of the fastest of the others."""
    seconds = []
    for _ in range(times + 1):
        began = time.perf_counter()
        epoch()
        seconds.append(time.perf_counter() - began)
    return seconds[0], min(seconds[1:])


def ours(name: str, data: Dataset) -> tuple[float, float]:
    one = learner(name)(hidden=HIDDEN)
    prepared = one.prepare(Training.of(data, Inputs.fit(data, transform="z-score"), nDCG(10), None))
    state = one.start(prepared, np.random.default_rng(0))

    def epoch() -> None:
        nonlocal state
        state = one.step(prepared, state, np.random.default_rng(state.epochs))

    return fastest(epoch)


def torchs(name: str, data: Dataset, threads: int) -> tuple[float, float]:
    import torch

    torch.set_num_threads(threads)
    torch.manual_seed(0)
    features = data.features
    assert features is not None
    table = torch.from_numpy(Inputs.fit(data, transform="z-score").table(data))
    labels = torch.from_numpy(data.labels.astype(np.float32))
    net = torch.nn.Sequential(
        torch.nn.Linear(features.shape[1], *HIDDEN), torch.nn.Tanh(), torch.nn.Linear(*HIDDEN, 1, bias=False)
    )
    optimizer = torch.optim.Adam(net.parameters(), 1e-3)
    sizes, starts = np.diff(data.offsets), data.offsets[:-1]

    def loss(scores: Any, worth: Any, there: Any) -> Any:
        if name == "listnet":
            low = scores.masked_fill(~there, -1e9)
            return -(torch.softmax(worth.masked_fill(~there, -1e9), 1) * torch.log_softmax(low, 1)).sum(1).mean()
        pairs = (worth[:, :, None] > worth[:, None, :]) & there[:, :, None] & there[:, None, :]
        cost = torch.nn.functional.softplus(scores[:, None, :] - scores[:, :, None])
        return ((cost * pairs).sum((1, 2)) / pairs.sum((1, 2)).clamp(min=1)).mean()

    def epoch() -> None:
        order = np.random.permutation(len(sizes))
        for at in range(0, len(order), 32):
            lists = order[at : at + 32]
            places = np.arange(sizes[lists].max())
            there = places < sizes[lists, None]
            rows = torch.from_numpy(np.where(there, starts[lists, None] + places, 0))
            found = loss(net(table[rows]).squeeze(-1), labels[rows], torch.from_numpy(there))
            optimizer.zero_grad()
            found.backward()
            optimizer.step()

    return fastest(epoch)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    folder = parser.parse_args().data / "mq2008"
    mq2008 = Dataset.join([read_letor(folder / f"S{number}.txt.gz") for number in (1, 2, 3)])
    for words, data in (("MQ2008 fold 1", mq2008), ("1,000 lists × 105 × 136", wide())):
        for name in ("listnet", "ranknet"):
            first, mine = ours(name, data)
            print(f"{words}, {name}: rankwise {1000 * mine:.1f} ms an epoch, the first {first:.2f} s")
            try:
                peers = {threads: torchs(name, data, threads)[1] for threads in (1, 2)}
            except ImportError:
                continue
            for threads, theirs in peers.items():
                print(f"    torch, {threads} threads: {1000 * theirs:.1f} ms, {theirs / mine:.2f} × ours", flush=True)


if __name__ == "__main__":
    main()
