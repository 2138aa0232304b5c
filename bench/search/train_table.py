"""bench/search/train_table.py - trains a sample of the nets of HPOBench, and writes what bench.search.guided reads.
SPDX-License-Identifier: MIT
Source   Klein & Hutter 2019, Table 1: 62,208 nets of two hidden layers, Adam on the squared error; their data, and
         their 100 epochs, are replaced by what follows

Run      python3 -m venv FOLDER && FOLDER/bin/pip install numpy==2.4.6 scikit-learn==1.9.1
         FOLDER/bin/python bench/search/train_table.py --table FILE [--data diabetes|friedman1] [--each 56 | --grid]
             [--seed 0]
         What FILE has already is not trained again.
Data     of scikit-learn, standardised; 60 % train, 40 % validate. diabetes: 442 patients, without the column s1, which
         correlates by 0.9 with s2, so that nine inputs are left as in HPOBench's Protein; friedman1: 442 generated rows
         of nine inputs, noise 1
Sample   uniform, `each` for each of the 36 pairs of widths, so that the share of valid nets is exact at every bound on
         weights; in random order. --grid: all 1,944 nets with relu, batches of 32 and the cosine schedule instead, so
         that a net's neighbours are in the table, too, which searches by small changes need
Writes   a line per net: data, hyperparameters, bytes of the trained weights, mean squared error after 4, 12 and 36
         epochs of one training, and its seconds until then: of processor time, without validation
"""
import argparse
import itertools
import os
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy
from sklearn.datasets import load_diabetes, make_friedman1

EPOCHS = (4, 12, 36)
WIDTHS = (16, 32, 64, 128, 256, 512)
OTHERS = {
    "ACTIVATION_1": ("tanh", "relu"),
    "ACTIVATION_2": ("tanh", "relu"),
    "BATCH_SIZE": (8, 16, 32, 64),
    "DROPOUT_1": (0.0, 0.3, 0.6),
    "DROPOUT_2": (0.0, 0.3, 0.6),
    "RATE": (5e-4, 1e-3, 5e-3, 1e-2, 5e-2, 1e-1),
    "SCHEDULE": ("cosine", "const"),
}
GRID = {"ACTIVATION_1": ("relu",), "ACTIVATION_2": ("relu",), "BATCH_SIZE": (32,), "SCHEDULE": ("cosine",)}
COLUMNS = ["data", "UNITS_1", "UNITS_2", *OTHERS, "weight_bytes"]
COLUMNS += [f"{what}_{epoch}" for what in ("error", "seconds") for epoch in EPOCHS]


def data_of(name, seed):
    """Inputs and targets that train, then those that validate, in units of the deviations of those that train."""
    if name == "diabetes":
        x, y = load_diabetes(return_X_y=True)
        x = numpy.delete(x, 4, axis=1)  # s1
    else:
        x, y = make_friedman1(n_samples=442, n_features=9, noise=1.0, random_state=seed)
    order = numpy.random.default_rng(seed).permutation(len(y))
    train, check = numpy.split(order, [len(y) * 6 // 10])
    x = (x - x[train].mean(0)) / x[train].std(0)
    y = (y - y[train].mean()) / y[train].std()
    x, y = x.astype(numpy.float32), y.astype(numpy.float32)[:, None]
    return x[train], y[train], x[check], y[check]


class Net:
    """Weights, their gradients and the moments of Adam, each one array with a view per layer."""

    def __init__(self, inputs, widths, activations, generator):
        sizes = [inputs, *widths, 1]
        self.shapes = [s for a, b in itertools.pairwise(sizes) for s in ((a, b), (b,))]
        count = sum(int(numpy.prod(s)) for s in self.shapes)
        self.weights, self.gradient, self.mean, self.square, self.scratch = numpy.zeros((5, count), numpy.float32)
        self.w, self.g = self.views(self.weights), self.views(self.gradient)
        for w in self.w[::2]:  # Glorot & Bengio 2010, uniform
            most = (6 / sum(w.shape)) ** 0.5
            w[:] = generator.uniform(-most, most, w.shape)
        self.activations = activations
        self.steps = 0

    def views(self, flat):
        ends = numpy.cumsum([int(numpy.prod(s)) for s in self.shapes])
        return [part.reshape(s) for part, s in zip(numpy.split(flat, ends[:-1]), self.shapes)]

    def layer(self, x, i):
        z = x @ self.w[2 * i] + self.w[2 * i + 1]
        return numpy.tanh(z) if self.activations[i] == "tanh" else numpy.maximum(z, 0)

    def predict(self, x):
        return self.layer(self.layer(x, 0), 1) @ self.w[4] + self.w[5]

    def slope(self, h, i):
        return 1 - h * h if self.activations[i] == "tanh" else h > 0

    def backward(self, x, y, masks):
        """The gradient of the mean squared error. masks: per hidden layer, row and unit 0 or 1 / (1 - dropout)."""
        h1 = self.layer(x, 0)
        k1 = h1 if masks[0] is None else h1 * masks[0]
        h2 = self.layer(k1, 1)
        k2 = h2 if masks[1] is None else h2 * masks[1]
        d = (k2 @ self.w[4] + self.w[5] - y) * (2 / len(y))
        numpy.matmul(k2.T, d, out=self.g[4])
        d.sum(0, out=self.g[5])
        d = d @ self.w[4].T * self.slope(h2, 1)
        if masks[1] is not None:
            d *= masks[1]
        numpy.matmul(k1.T, d, out=self.g[2])
        d.sum(0, out=self.g[3])
        d = d @ self.w[2].T * self.slope(h1, 0)
        if masks[0] is not None:
            d *= masks[0]
        numpy.matmul(x.T, d, out=self.g[0])
        d.sum(0, out=self.g[1])

    def adam(self, rate):
        """Kingma & Ba 2015, with their constants and the rate corrected as at the end of their Section 2."""
        self.steps += 1
        rate *= (1 - 0.999**self.steps) ** 0.5 / (1 - 0.9**self.steps)
        t = self.scratch
        self.mean *= 0.9
        self.mean += numpy.multiply(self.gradient, 0.1, out=t)
        self.square *= 0.999
        numpy.multiply(self.gradient, self.gradient, out=t)
        self.square += numpy.multiply(t, 0.001, out=t)
        numpy.sqrt(self.square, out=t)
        t += 1e-8
        numpy.divide(self.mean, t, out=t)
        self.weights -= numpy.multiply(t, rate, out=t)


def mask(generator, rows, units, dropout):
    if dropout == 0:
        return None
    kept = generator.random((rows, units), dtype=numpy.float32) >= dropout
    return kept.astype(numpy.float32) / numpy.float32(1 - dropout)


def train(net, setting, data, generator):
    """Errors and seconds after EPOCHS."""
    x, y, x_check, y_check = data
    rows, batch = len(y), setting["BATCH_SIZE"]
    errors, seconds, spent = [], [], 0.0
    for epoch in range(EPOCHS[-1]):
        begin = time.process_time()
        rate = setting["RATE"]
        if setting["SCHEDULE"] == "cosine":
            rate *= 0.5 * (1 + numpy.cos(numpy.pi * epoch / EPOCHS[-1]))
        order = generator.permutation(rows)
        masks = [mask(generator, rows, setting[f"UNITS_{i}"], setting[f"DROPOUT_{i}"]) for i in (1, 2)]
        for at in range(0, rows, batch):
            part = order[at : at + batch]
            net.backward(x[part], y[part], [m if m is None else m[at : at + batch] for m in masks])
            net.adam(rate)
        spent += time.process_time() - begin
        if epoch + 1 in EPOCHS:
            error = float(numpy.mean((net.predict(x_check) - y_check) ** 2, dtype=numpy.float64))
            errors.append(error if numpy.isfinite(error) else float("inf"))
            seconds.append(spent)
    return errors, seconds


def sample(each, seed):
    """The settings, each a dictionary, in random order. each: of a pair of widths; None: those of the grid."""
    generator = numpy.random.default_rng(seed)
    grid = list(itertools.product(*(OTHERS | GRID if each is None else OTHERS).values()))
    chosen = [
        {"UNITS_1": a, "UNITS_2": b, **dict(zip(OTHERS, grid[i]))}
        for a, b in itertools.product(WIDTHS, WIDTHS)
        for i in (range(len(grid)) if each is None else generator.choice(len(grid), each, replace=False))
    ]
    return [chosen[i] for i in generator.permutation(len(chosen))]


def lines_of(path):
    """The complete lines of a table; what an interrupted run left of another one is cut off."""
    if not os.path.exists(path):
        return []
    with open(path, "r+", encoding="ascii") as file:
        text = file.read()
        whole = text[: text.rfind("\n") + 1]
        file.truncate(len(whole))
    return whole.splitlines()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", required=True)
    parser.add_argument("--data", choices=("diabetes", "friedman1"), default="diabetes")
    parser.add_argument("--each", type=int, default=56)
    parser.add_argument("--grid", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    lines = lines_of(given.table)
    if lines and lines[0] != ",".join(COLUMNS):
        sys.exit(f"{given.table}: not a table of this program")
    done = {tuple(line.split(",")[: COLUMNS.index("weight_bytes")]) for line in lines}
    data = data_of(given.data, given.seed)
    settings = sample(None if given.grid else given.each, given.seed)
    with open(given.table, "a", encoding="ascii") as file:
        if not lines:
            print(",".join(COLUMNS), file=file, flush=True)
        for number, setting in enumerate(settings):
            fields = [given.data, *(str(v) for v in setting.values())]
            if tuple(fields) in done:
                continue
            generator = numpy.random.default_rng([given.seed, number])
            widths = (setting["UNITS_1"], setting["UNITS_2"])
            net = Net(data[0].shape[1], widths, (setting["ACTIVATION_1"], setting["ACTIVATION_2"]), generator)
            with numpy.errstate(all="ignore"):  # a high rate may diverge: its error is inf
                errors, seconds = train(net, setting, data, generator)
            fields += [str(net.weights.nbytes), *(f"{e:.6g}" for e in errors), *(f"{s:.6g}" for s in seconds)]
            print(",".join(fields), file=file, flush=True)
            if number % 100 == 99:
                print(f"{number + 1} of {len(settings)} nets", flush=True)


if __name__ == "__main__":
    main()
