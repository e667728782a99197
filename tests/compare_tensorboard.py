"""Reads the event files of a run with TensorBoard's own reader and compares them with log.jsonl."""
import json
import struct
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

# Tag, key of the log, and how many digits the log keeps of it (None: all of them).
TAGS = [("loss", "loss", None), ("held_out_loss", "held_out_loss", None), ("gradient_norm", "norm", None),
        ("learning_rate", "lr", 9), ("tokens_per_second", "tokens_per_second", 6), ("matrix_share", "matrix_share", 4)]


def single(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def same(found, logged, digits):
    if digits is None:
        return found == single(logged)
    return abs(found - logged) <= 10.0 ** (1 - digits) * abs(logged)


def main(folder, first_tags):
    with open(folder + "/log.jsonl", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    events = EventAccumulator(folder, size_guidance={"scalars": 0})
    events.Reload()
    tags = set(events.Tags()["scalars"])
    wanted = {tag for tag, key, _ in TAGS if any(key in line for line in lines)}
    assert tags == wanted, f"tags {sorted(tags)}, expected {sorted(wanted)}"
    assert set(first_tags) <= tags, f"no {set(first_tags) - tags}"
    n = 0
    for tag, key, digits in TAGS:
        logged = [(line["step"], line[key]) for line in lines if key in line]
        scalars = events.Scalars(tag) if tag in tags else []
        assert [s.step for s in scalars] == [step for step, _ in logged], f"{tag}: steps {[s.step for s in scalars]}"
        for scalar, (step, value) in zip(scalars, logged):
            assert same(scalar.value, value, digits), f"{tag} of step {step}: {scalar.value}, logged {value}"
        assert all(a.wall_time <= b.wall_time for a, b in zip(scalars, scalars[1:])), f"{tag}: time goes back"
        n += len(scalars)
    print(f"{n} scalars of {len(lines)} steps are those of the log")


main(sys.argv[1], sys.argv[2:])
