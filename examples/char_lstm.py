"""Train an LSTM to write text character by character, with lazyarr.nn.

The text comes with Python: the help pages on its syntax (pydoc_data.topics). Each step sees 32 windows of 50 characters
and learns to tell the next one at each place. At the end the network writes some text of its own: each character is
drawn with the probabilities that it gives, and read by it before the next.

Usage: char_lstm.py [STEPS]
"""

import argparse
from pydoc_data import topics

import numpy as np

import lazyarr as la
from lazyarr import nn

SEED = 5
BATCH, WINDOW = 32, 50
EMBEDDING, HIDDEN = 32, 128
TEXT = 200_000
SAMPLE = 300


class Writer(nn.Layer):
    """An embedding of characters, an LSTM, and scores for the character that follows."""

    def __init__(self, characters, rng):
        self.table = nn.Embedding(characters, EMBEDDING, rng=rng)
        self.lstm = nn.LSTM(EMBEDDING, HIDDEN, rng=rng)
        self.scores = nn.Linear(HIDDEN, characters, rng=rng)

    def __call__(self, x):
        """Scores of all characters (batch, time, characters) for numbers of characters (batch, time)."""
        return self.scores(self.lstm(self.table(x))[0])

    def write(self, first, length, rng):
        """Numbers of characters that follow on the first ones."""
        written, state, given = [], None, np.array([first])
        for _ in range(length):
            hidden, state = self.lstm(self.table(given), state)
            chances = nn.softmax(self.scores(hidden[:, -1])[0]).numpy().astype(float)
            written.append(int(rng.choice(len(chances), p=chances / chances.sum())))
            given = np.array([written[-1:]])
        return written


def windows(text, steps, rng):
    """Batches of windows at random places, and of what follows one character later."""
    for _ in range(steps):
        places = rng.integers(0, len(text) - WINDOW, (BATCH, 1)) + np.arange(WINDOW + 1)
        rows = text[places]
        yield la.asarray(rows[:, :-1]), la.asarray(rows[:, 1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("steps", nargs="?", type=int, default=1500, help="number of batches")
    args = parser.parse_args()
    if args.steps < 1:
        parser.error("STEPS must be at least 1")

    text = "\n".join(topics.topics[name] for name in sorted(topics.topics))[:TEXT]
    characters, numbers = np.unique(list(text), return_inverse=True)
    print(f"{len(text)} characters, {len(characters)} different ones")

    rng = np.random.default_rng(SEED)
    model = Writer(len(characters), rng)
    optimiser = nn.Adam(nn.schedules.cosine(4e-3, args.steps, least=4e-4))
    step = nn.training_step(model, nn.cross_entropy, optimiser, clip=lambda tree: nn.clip_by_global_norm(tree, 1.0))
    means = []
    for number, (x, y) in enumerate(windows(numbers, args.steps, rng), 1):
        means.append(float(step(x, y)["loss"]))
        if number % 100 == 0 or number == args.steps:
            print(f"step {number:>5}: loss {np.mean(means[-100:]):.3f}, "
                  f"{np.exp(np.mean(means[-100:])):.1f} characters to choose from")
    begin = np.searchsorted(characters, list("The "))
    print("".join(characters[[*begin, *model.write(begin, SAMPLE, rng)]]))


if __name__ == "__main__":
    main()
