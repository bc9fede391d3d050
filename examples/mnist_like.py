"""Train a network with one convolution on images of 28 x 28 pixels, with lazyarr.nn.

The images are scikit-learn's handwritten digits of 8 x 8 pixels, enlarged: the size of MNIST's without a download. The
network: x / 256, 32 channels of 5 x 5 taps, relu, the largest of 2 x 2, dropout of a tenth, a dense layer of 1024 with
relu, and one of 10 with softmax. By default it is trained for 60 batches of 100 images.

Usage: mnist_like.py [ITERATIONS]
"""

import argparse
import time

import numpy as np
from sklearn.datasets import load_digits

from lazyarr import nn

SEED = 3
BATCH = 100
TRAINED = 1500


def enlarged(images):
    """Images of 8 x 8 pixels as images of 28 x 28, interpolated, with a brightness of up to 255."""
    larger = nn.upsample(images[..., np.newaxis] * np.float32(255 / 16), 3, mode="linear")
    return np.pad(larger.numpy(), ((0, 0), (2, 2), (2, 2), (0, 0)))


def network(rng):
    return nn.Sequential(
        lambda x: x / 256,
        nn.Conv2d(1, 32, 5, padding="same", rng=rng), nn.relu, nn.MaxPool2d(2), nn.Dropout(0.1, rng=rng),
        nn.Flatten(), nn.Linear(14 * 14 * 32, 1024, rng=rng), nn.relu, nn.Linear(1024, 10, rng=rng))


def batches(loader):
    """Batches without end."""
    while True:
        yield from loader


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("iterations", nargs="?", type=int, default=60, help="number of batches")
    args = parser.parse_args()
    if args.iterations < 1:
        parser.error("ITERATIONS must be at least 1")

    digits = load_digits()
    order = np.random.default_rng(SEED).permutation(len(digits.target))
    images, labels = enlarged(digits.images[order].astype(np.float32)), digits.target[order]
    training = nn.Loader((images[:TRAINED], labels[:TRAINED]), BATCH, seed=SEED)
    testing = nn.Loader((images[TRAINED:], labels[TRAINED:]), BATCH, shuffle=False)

    model = network(np.random.default_rng(SEED))
    step = nn.training_step(model, nn.cross_entropy, nn.Adam(1e-3), metrics=[nn.accuracy])
    began = time.perf_counter()
    for iteration, (x, y) in zip(range(1, args.iterations + 1), batches(training), strict=False):
        found = step(x, y)
        if iteration % 10 == 0 or iteration == args.iterations:
            print(f"iteration {iteration:>3}: loss {float(found['loss']):.4f}, "
                  f"{100 * float(found['accuracy']):.0f} % of the batch read")
    seconds = time.perf_counter() - began
    found = nn.validate(model, nn.cross_entropy, testing, [nn.accuracy])
    print(f"{model.parameter_count} parameters, {1e3 * seconds / args.iterations:.0f} ms an iteration, "
          f"{100 * found['accuracy']:.1f} % of other images read")


if __name__ == "__main__":
    main()
