"""
Turbulence in two dimensions
============================

A flow in two dimensions is described by its vorticity, how fast the fluid turns at each point. If one stirs it at
random and leaves it to itself, small vortices merge into large ones. The Navier-Stokes equation for the vorticity is
solved by a spectral method: derivatives are products in Fourier space, and the vorticity is carried with the flow at
the points of the grid. So each step takes fifteen Fourier transforms.

lazyarr does not make this program much faster: Fourier transforms are calls of NumPy or SciPy and take most of the
time. lazyarr fuses the few operations between them, and runs independent transforms on several cores. On one core it is
no faster than NumPy; the gain depends on the number of cores.
"""

# %%
# The method
# ----------
# A Runge-Kutta scheme of order three, which evaluates the time derivative three times per step.

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np

import lazyarr.numpy as lnp

SIZE = 192
VISCOSITY = 7e-4
TIME_STEP = 0.014
STEPS = 220
TIMED_STEPS = 12


def change(xp, vorticity, kx, ky, square, inverse, kept):
    """The rate at which the vorticity changes by the flow that it makes and by friction, in Fourier space."""
    stream = vorticity * inverse
    u, v = xp.fft.irfft2(1j * ky * stream), xp.fft.irfft2(-1j * kx * stream)
    along_x, along_y = xp.fft.irfft2(1j * kx * vorticity), xp.fft.irfft2(1j * ky * vorticity)
    return -xp.fft.rfft2(u * along_x + v * along_y) * kept - VISCOSITY * square * vorticity


def simulate(xp, steps):
    """The vorticity on the square of side 2 pi after some steps."""
    kx = xp.fft.rfftfreq(SIZE, 1 / SIZE)
    ky = xp.fft.fftfreq(SIZE, 1 / SIZE)[:, np.newaxis]
    square = kx * kx + ky * ky
    kept = (abs(kx) < SIZE / 3) & (abs(ky) < SIZE / 3)  # products make waves that the grid takes for longer ones
    waves = kx, ky, square, 1 / xp.where(square == 0, 1, square), kept
    noise = xp.fft.rfft2(xp.asarray(np.random.default_rng(3).standard_normal((SIZE, SIZE))))
    now = 3 * noise * square * xp.exp(-square / 40)
    for _ in range(steps):
        first = now + TIME_STEP * change(xp, now, *waves)
        second = 0.75 * now + 0.25 * (first + TIME_STEP * change(xp, first, *waves))
        now = now / 3 + 2 / 3 * (second + TIME_STEP * change(xp, second, *waves))
    return xp.fft.irfft2(now)


# %%
# Vortices
# --------

vorticity = simulate(lnp, STEPS).numpy()

figure, axes = plt.subplots(figsize=(6.6, 5.6), layout="constrained")
limit = np.quantile(abs(vorticity), 0.999)
image = axes.imshow(vorticity, cmap="twilight", vmin=-limit, vmax=limit, interpolation="bicubic", origin="lower",
                    extent=(0, 2 * np.pi, 0, 2 * np.pi))
axes.set(title=f"Vorticity at time {STEPS * TIME_STEP:.1f}", xlabel="x", ylabel="y")
figure.colorbar(image, label="vorticity", pad=0.02)
plt.show()

# %%
# Times
# -----


def best_of_three(xp):
    """The result and the least time of three runs, in milliseconds."""
    times = []
    for _ in range(3):
        start = perf_counter()
        result = simulate(xp, TIMED_STEPS)
        np.asarray(result)
        times.append(1000 * (perf_counter() - start))
    return result, min(times)


with_numpy, numpy_ms = best_of_three(np)
with_lazyarr, lazyarr_ms = best_of_three(lnp)
print(f"{TIMED_STEPS} steps on {SIZE} x {SIZE} points")
print(f"NumPy {numpy_ms:.0f} ms, lazyarr {lazyarr_ms:.0f} ms: {numpy_ms / lazyarr_ms:.1f} times as fast")
print("the same within rounding:", np.allclose(with_numpy, with_lazyarr, atol=1e-9))
