"""Reads curves with TensorBoard's own reader and compares them with the JSON lines beside them.

    python3 -m venv venv && venv/bin/pip install tensorboard
    venv/bin/python test/peers/readCurves.py DATA_FOLDER/runs
    venv/bin/python test/peers/readCurves.py OUTPUT_FOLDER_OF_A_JUDGED_RUN

Exits with 1 when a scalar is missing or differs.
"""

import json
import math
import pathlib
import struct
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator


def as_float32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def check(folder):
    beside = folder / "tensorboard"
    events = beside if beside.is_dir() else folder
    accumulator = EventAccumulator(str(events), size_guidance={"scalars": 0, "tensors": 0})
    accumulator.Reload()
    read = {}
    for tag in accumulator.Tags()["scalars"]:
        for event in accumulator.Scalars(tag):
            read[(tag, event.step)] = event.value
    wanted = {}
    for line in (folder / "metrics.jsonl").read_text().splitlines():
        update = json.loads(line)
        if update["step"] is None:
            continue
        for tag, value in update["scalars"].items():
            if value is not None and math.isfinite(value):
                wanted[(tag, update["step"])] = as_float32(value)
    wrong = [key for key in wanted.keys() | read.keys() if wanted.get(key) != read.get(key)]
    print(f"{folder}: {len(accumulator.Tags()['scalars'])} tags, {len(read)} scalars read, {len(wrong)} wrong")
    for key in sorted(wrong):
        print(f"  {key}: wrote {wanted.get(key)}, read {read.get(key)}")
    return len(wrong) == 0 and len(read) > 0


if __name__ == "__main__":
    folders = [path.parent for path in pathlib.Path(sys.argv[1]).rglob("metrics.jsonl")]
    sys.exit(0 if folders and all([check(folder) for folder in folders]) else 1)
