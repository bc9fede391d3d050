"""Develop a photograph: exposure fusion, sharpening and edge detection on scikit-learn's china.jpg.

The photograph (427 x 640 pixels) is tiled to SCALE x SCALE copies, decoded to linear light and reduced to its luma.
Five exposures of it, two stops under to two stops over, are gamma-encoded and blended by how well exposed each pixel
is; the blend is sharpened with a blur of shifted slices, and its edges are found with the Sobel operator.

A good lazy program, because nearly every line is elementwise on arrays of millions of pixels: NumPy walks through
memory once a line and allocates an image for each intermediate, whereas fused they need the memory of the few images
that are looked at.

Usage: photo.py [SCALE]
"""

import argparse
import importlib.util
import zlib
from pathlib import Path

import numpy as np
from PIL import Image

STOPS = (-2, -1, 0, 1, 2)
GAMMA = 2.2


def load_photo():
    """The photograph as it lies in the installed scikit-learn, whose import takes longer than all that is done here."""
    package = importlib.util.find_spec("sklearn")
    if package is None:
        raise SystemExit("the photograph comes with scikit-learn: pip install scikit-learn")
    return np.asarray(Image.open(Path(package.origin).parent / "datasets" / "images" / "china.jpg"))


def decode_srgb(encoded):
    """Linear light from sRGB values in 0..1 (IEC 61966-2-1)."""
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def luma(rgb):
    """Luminance of linear RGB with the weights of ITU-R BT.709."""
    return 0.2126 * rgb[..., 0] + 0.7152 * rgb[..., 1] + 0.0722 * rgb[..., 2]


def fuse_exposures(light):
    """Blend gamma-encoded exposures by how close each pixel is to mid-grey (Mertens et al., 2007)."""
    blend = np.zeros_like(light)
    total_weight = np.zeros_like(light)
    for stop in STOPS:
        exposed = np.clip(light * 2.0**stop, 0, 1) ** (1 / GAMMA)
        weight = np.exp(-0.5 * ((exposed - 0.5) / 0.2) ** 2)
        blend += weight * exposed
        total_weight += weight
    blend /= total_weight
    return blend


def blur(image):
    """Smooth with the binomial filter (1, 4, 6, 4, 1) / 16 along both axes; two pixels are lost at each border."""
    rows = (image[:-4] + 4 * image[1:-3] + 6 * image[2:-2] + 4 * image[3:-1] + image[4:]) / 16
    return (rows[:, :-4] + 4 * rows[:, 1:-3] + 6 * rows[:, 2:-2] + 4 * rows[:, 3:-1] + rows[:, 4:]) / 16


def sharpen(image, amount=1.5):
    """Unsharp mask: add what the blur takes away. Two pixels are lost at each border."""
    centre = image[2:-2, 2:-2]
    return np.clip(centre + amount * (centre - blur(image)), 0, 1)


def sobel(image):
    """Magnitude of the gradient by the Sobel operator; one pixel is lost at each border."""
    across = image[:, 2:] - image[:, :-2]
    across = across[:-2] + 2 * across[1:-1] + across[2:]
    down = image[2:] - image[:-2]
    down = down[:, :-2] + 2 * down[:, 1:-1] + down[:, 2:]
    return np.sqrt(across**2 + down**2)


def to_bytes(image):
    """Quantise values in 0..1 to 8 bits."""
    return np.rint(np.clip(image, 0, 1) * 255).astype(np.uint8)


def describe(name, image):
    # Sums of float32 in float64: ten digits of the mean do not depend on the order of summation.
    mean, deviation = image.mean(dtype=np.float64), image.std(dtype=np.float64)
    checksum = zlib.crc32(to_bytes(image).tobytes())
    print(f"{name:<8} mean {mean:.10f}  std {deviation:.10f}  min {image.min():.6f}  max {image.max():.6f}", end="  ")
    print(f"crc32 {checksum:08x}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scale", nargs="?", type=int, default=6, help="copies of the photograph along each axis")
    scale = parser.parse_args().scale
    if scale < 1:
        parser.error("SCALE must be at least 1")

    photo = np.tile(load_photo(), (scale, scale, 1))
    print(f"photo    {photo.shape[0]} x {photo.shape[1]} pixels, sum {photo.sum(dtype=np.int64)}")

    light = luma(decode_srgb(photo.astype(np.float32) / 255))
    fused = fuse_exposures(light)
    sharp = sharpen(fused)
    edges = sobel(blur(sharp))
    edges /= edges.max()

    describe("light", light)
    describe("fused", fused)
    describe("sharp", sharp)
    describe("edges", edges)
    print(f"strong edges: {np.count_nonzero(edges > 0.25)} of {edges.size} pixels")


if __name__ == "__main__":
    main()
