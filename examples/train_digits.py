"""Train a convolutional network to read scikit-learn's handwritten digits, with lazyarr.nn.

A small LeNet: two convolutions, each followed by the largest of 2 x 2 pixels, and two dense layers. The 1797 images of
8 x 8 pixels are shuffled; 1438 of them are trained with, shifted by up to a pixel at random, the others tell how good
the network is. After each epoch everything needed to go on is written to CHECKPOINT, if one is named: a program that
was stopped goes on from there to the same numbers.

Usage: train_digits.py [EPOCHS] [--checkpoint CHECKPOINT]
"""

import argparse

import numpy as np
from sklearn.datasets import load_digits

from lazyarr import nn

SEED = 7
TRAINED = 1438


def shifted(batch, rng):
    """Images moved by up to a pixel in each direction, over a black edge."""
    images, labels = batch
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)))
    rows, columns = (rng.integers(0, 3, (len(images), 1)) + np.arange(8) for _ in range(2))
    return padded[np.arange(len(images))[:, None, None], rows[:, :, None], columns[:, None, :]], labels


def network(rng):
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding="same", rng=rng), nn.relu, nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding="same", rng=rng), nn.relu, nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(128, 128, rng=rng), nn.relu, nn.Dropout(0.3, rng=rng), nn.Linear(128, 10, rng=rng))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("epochs", nargs="?", type=int, default=60, help="number of passes over the images")
    parser.add_argument("--checkpoint", help="a file to go on from")
    args = parser.parse_args()
    if args.epochs < 1:
        parser.error("EPOCHS must be at least 1")

    digits = load_digits()
    order = np.random.default_rng(SEED).permutation(len(digits.target))
    images = (digits.images[order, :, :, np.newaxis] / 16).astype(np.float32)
    labels = digits.target[order]
    training = nn.Loader((images[:TRAINED], labels[:TRAINED]), 64, seed=SEED, transform=shifted)
    testing = nn.Loader((images[TRAINED:], labels[TRAINED:]), 256, shuffle=False)

    model = network(np.random.default_rng(SEED))
    optimiser = nn.AdamW(nn.schedules.one_cycle(6e-3, args.epochs * len(training)))
    history = nn.fit(model, nn.cross_entropy, optimiser, training, args.epochs, validation=testing,
                     metrics=[nn.accuracy], checkpoint=args.checkpoint, resume=args.checkpoint is not None)
    for epoch in range(0, args.epochs, max(1, args.epochs // 10)):
        print(f"epoch {epoch + 1:>3}: loss {history['loss'][epoch]:.4f}, "
              f"{100 * history['validation_accuracy'][epoch]:.1f} % of the other images read")
    print(f"{model.parameter_count} parameters, {100 * history['validation_accuracy'][-1]:.2f} % read at the end")


if __name__ == "__main__":
    main()
