"""Equalise the histogram of a photograph's luma, keeping its hues.

The photograph is scikit-learn's china.jpg, tiled to COPIES x COPIES.

Usage: histogram_equalisation.py [COPIES]
"""

import sys
import zlib

import numpy as np
from sklearn.datasets import load_sample_image


def equalise(grey):
    """Grey levels (uint8) spread so that each range of levels is about as frequent as any other of its width."""
    histogram, _ = np.histogram(grey.ravel(), bins=256, range=(0, 256))
    cdf = histogram.cumsum()
    lowest = cdf[cdf > 0].min()
    levels = np.round((cdf - lowest) / (grey.size - lowest) * 255)
    return np.clip(levels, 0, 255).astype(np.uint8)[grey]


def entropy(grey):
    """Of the distribution of the grey levels, in bits."""
    p = np.bincount(grey.ravel(), minlength=256) / grey.size
    p = p[p > 0]
    return -np.sum(p * np.log2(p))


def main(copies=8):
    photo = np.tile(load_sample_image("china.jpg"), (copies, copies, 1))
    luma = 0.299 * photo[..., 0] + 0.587 * photo[..., 1] + 0.114 * photo[..., 2]
    grey = luma.astype(np.uint8)
    equalised = equalise(grey)
    gain = equalised / np.maximum(luma, 1)
    result = np.clip(photo * gain[..., np.newaxis], 0, 255).astype(np.uint8)
    print(f"{photo.shape[0]} x {photo.shape[1]} pixels")
    print(f"before: mean {grey.mean():.6f}, std {grey.std():.6f}, entropy {entropy(grey):.6f} bits")
    print(f"after:  mean {equalised.mean():.6f}, std {equalised.std():.6f}, entropy {entropy(equalised):.6f} bits")
    print(f"colours: mean {result.mean():.6f}, crc32 {zlib.crc32(result.tobytes()):08x}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
