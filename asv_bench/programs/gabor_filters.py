"""Computer vision: a bank of Gabor kernels over orientations and wavelengths, and their response to a patch."""

import sys

import numpy as np

phases = int(sys.argv[1]) if len(sys.argv) > 1 else 90
size = 21


def gabor(sigma, theta, wavelength, psi, gamma):
    half = size // 2
    y, x = np.mgrid[-half : half + 1, -half : half + 1]
    x_theta = x * np.cos(theta) + y * np.sin(theta)
    y_theta = -x * np.sin(theta) + y * np.cos(theta)
    envelope = np.exp(-0.5 * (x_theta**2 + gamma**2 * y_theta**2) / sigma**2)
    return envelope * np.cos(2 * np.pi / wavelength * x_theta + psi)


rng = np.random.default_rng(3)
patch = rng.random((size, size))
patch[:, 8:12] += 2.0

best = (-np.inf, 0, 0)
energy = 0.0
for k in range(phases):
    psi = np.pi * k / phases
    for theta in np.arange(0, np.pi, np.pi / 16):
        for wavelength in (4.0, 6.0, 8.0, 12.0):
            kernel = gabor(0.56 * wavelength, theta, wavelength, psi, 0.5)
            kernel -= kernel.mean()
            response = np.sum(kernel * patch)
            energy += response**2
            if response > best[0]:
                best = (response, theta, wavelength)
print(f"best response {best[0]:.5f} at {np.degrees(best[1]):.2f} degrees, wavelength {best[2]}")
print(f"energy {energy:.4f}")
