"""Language modelling: a recurrent network over characters with 100 hidden units, forward and back through time."""

import sys

import numpy as np

text = "the quick brown fox jumps over the lazy dog and runs away from the slow red hen. " * 3
chars = sorted(set(text))
vocab = len(chars)
to_ix = {c: i for i, c in enumerate(chars)}
hidden_size, seq_length, lr = 100, 25, 0.1
iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 180

np.random.seed(0)
Wxh = np.random.randn(hidden_size, vocab) * 0.01
Whh = np.random.randn(hidden_size, hidden_size) * 0.01
Why = np.random.randn(vocab, hidden_size) * 0.01
bh, by = np.zeros((hidden_size, 1)), np.zeros((vocab, 1))


def loss_and_gradients(inputs, targets, hprev):
    xs, hs, ps = {}, {-1: hprev}, {}
    loss = 0
    for t in range(len(inputs)):
        xs[t] = np.zeros((vocab, 1))
        xs[t][inputs[t]] = 1
        hs[t] = np.tanh(np.dot(Wxh, xs[t]) + np.dot(Whh, hs[t - 1]) + bh)
        y = np.dot(Why, hs[t]) + by
        ps[t] = np.exp(y) / np.sum(np.exp(y))
        loss += -np.log(ps[t][targets[t], 0])
    dWxh, dWhh, dWhy = np.zeros_like(Wxh), np.zeros_like(Whh), np.zeros_like(Why)
    dbh, dby, dhnext = np.zeros_like(bh), np.zeros_like(by), np.zeros_like(hs[0])
    for t in reversed(range(len(inputs))):
        dy = np.copy(ps[t])
        dy[targets[t]] -= 1
        dWhy += np.dot(dy, hs[t].T)
        dby += dy
        draw = (1 - hs[t] * hs[t]) * (np.dot(Why.T, dy) + dhnext)
        dbh += draw
        dWxh += np.dot(draw, xs[t].T)
        dWhh += np.dot(draw, hs[t - 1].T)
        dhnext = np.dot(Whh.T, draw)
    for d in [dWxh, dWhh, dWhy, dbh, dby]:
        np.clip(d, -5, 5, out=d)
    return loss, (dWxh, dWhh, dWhy, dbh, dby), hs[len(inputs) - 1]


position, memory = 0, [np.zeros_like(p) for p in (Wxh, Whh, Why, bh, by)]
smooth, h = -np.log(1.0 / vocab) * seq_length, np.zeros((hidden_size, 1))
for _ in range(iterations):
    if position + seq_length + 1 >= len(text):
        position, h = 0, np.zeros((hidden_size, 1))
    ids = [to_ix[c] for c in text[position : position + seq_length + 1]]
    loss, gradients, h = loss_and_gradients(ids[:-1], ids[1:], h)
    smooth = smooth * 0.999 + loss * 0.001
    for p, dp, m in zip((Wxh, Whh, Why, bh, by), gradients, memory, strict=True):
        m += dp * dp
        p += -lr * dp / np.sqrt(m + 1e-8)
    position += seq_length
print(f"smooth loss {smooth:.2f}")
