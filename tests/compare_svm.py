"""compare_svm.py - support vector machines as libsvm's own programs fit them to the same points.

usage: compare_svm.py ATTEND FOLDER

Support vectors and their weights are those of svm-train's model; decision values are those of
svm-predict, which prints them where the model calls itself one of regression.
"""
import json
import math
import random
import subprocess
import sys

ATTEND, FOLDER = sys.argv[1:]
KERNELS = {
    "polynomial": ["-t", "1", "-d", "2", "-g", "1", "-r", "1"],
    "gaussian": ["-t", "2", "-g", "0.5"],
}


def attend(model, points, classes):
    """Weights and decision values; points None: the preset's own."""
    given = [] if points is None else [
        "--input", " ".join("%.1f,%.1f" % point for point in points),
        "--target", " ".join("outer" if c else "inner" for c in classes)]
    stages = ["--stage", "alpha", "--stage", "decision", "--stage", "x", "--stage", "labels"]
    out = subprocess.run([ATTEND, "trace", "--model", model, "--format", "json"] + stages + given,
                         stdout=subprocess.PIPE, check=True, text=True).stdout
    found = {stage["name"]: stage["data"] for stage in json.loads(out)["stages"]}
    rows = [[round(v, 1) for v in row] for row in found["x"][0]]
    return ([row[0] for row in found["alpha"][0]], [row[0] for row in found["decision"][0]],
            rows, found["labels"][0])


def libsvm(kernel, points, classes, cost):
    data = FOLDER + "/data"
    with open(data, "w") as file:
        for point, c in zip(points, classes):
            file.write("%d 1:%.1f 2:%.1f\n" % (c, point[0], point[1]))
    subprocess.run(["svm-train", "-q", "-c", str(cost)] + KERNELS[kernel] + [data, FOLDER + "/model"],
                   check=True)
    with open(FOLDER + "/model") as file:
        head, _, vectors = file.read().partition("SV\n")
    lines = dict(line.split(" ", 1) for line in head.splitlines())
    sign = 1.0 if int(lines["label"].split()[0]) == 1 else -1.0
    weights = {}
    for line in vectors.splitlines():
        words = line.split()
        place = tuple(float(word.split(":")[1]) for word in words[1:])
        weights[place] = sign * float(words[0])
    head = "\n".join("svm_type epsilon_svr" if line.startswith("svm_type") else line
                     for line in head.splitlines() if not line.startswith(("label", "nr_sv")))
    with open(FOLDER + "/regression", "w") as file:
        file.write(head + "\nSV\n" + vectors)
    subprocess.run(["svm-predict", data, FOLDER + "/regression", FOLDER + "/values"], check=True,
                   stdout=subprocess.DEVNULL)
    with open(FOLDER + "/values") as file:
        values = [sign * float(line) for line in file]
    subprocess.run(["svm-predict", data, FOLDER + "/model", FOLDER + "/classes"], check=True,
                   stdout=subprocess.DEVNULL)
    with open(FOLDER + "/classes") as file:
        return weights, values, [int(float(line)) for line in file]


def check(what, expected, found, tolerance):
    if abs(expected - found) > tolerance:
        sys.exit("%s: libsvm %.9g, attend %.9g" % (what, expected, found))


def kernel_of(kernel, x, z):
    if kernel == "polynomial":
        return (1 + x[0] * z[0] + x[1] * z[1]) ** 2
    return math.exp(-0.5 * ((x[0] - z[0]) ** 2 + (x[1] - z[1]) ** 2))


def compare(kernel, what, points, classes):
    weights, values, rows, labels = attend("svm-" + kernel, points, classes)
    expected_weights, expected_values, expected_classes = libsvm(kernel, rows, labels, 10)
    what = "%s, %s" % (kernel, what)
    for row, weight, value, expected, c in zip(rows, weights, values, expected_values,
                                               expected_classes):
        check("%s: weight of %s" % (what, row), expected_weights.get(tuple(row), 0.0), weight,
              1e-6 * max(1.0, abs(weight)))
        # A sum in float32: its error grows with the terms.
        terms = sum(abs(w * kernel_of(kernel, row, z)) for z, w in expected_weights.items())
        check("%s: decision of %s" % (what, row), expected, value, 1e-6 * max(1.0, terms))
        if (value > 0) != (c == 1):
            sys.exit("%s: class of %s: libsvm %d" % (what, row, c))
    return sum(weight != 0 for weight in weights), len(rows)


def draw(random_, n, is_mixed):
    """n points: one class inside the other, or both anywhere."""
    places = [(i / 10, k / 10) for i in range(-20, 21) for k in range(-20, 21)]
    points = random_.sample(places, n)
    classes = [random_.randrange(2) if is_mixed else int(x * x + y * y > 1.2) for x, y in points]
    return points, classes


def main():
    random_ = random.Random(1)
    sets = [("the preset's points", None, None)]
    for n, is_mixed in ((5, False), (24, False), (60, False), (30, True), (100, True)):
        sets.append(("%d points%s" % (n, ", mixed" if is_mixed else ""), *draw(random_, n, is_mixed)))
    points, classes = draw(random_, 30, False)
    sets.append(("the outer class first", *zip(*sorted(zip(points, classes), key=lambda p: -p[1]))))
    for kernel in KERNELS:
        for what, points, classes in sets:
            n_vectors, n = compare(kernel, what, points, classes)
            print("%s, %s: %d of %d are support vectors" % (kernel, what, n_vectors, n))


main()
