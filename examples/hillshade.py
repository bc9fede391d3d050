"""Shade the elevation model of the Jacksboro fault bundled with matplotlib, and add up the sunlight of a year.

The normals of the ground (344 x 403 cells of 3 arc seconds) are found with Horn's 3 x 3 differences. Multiplied with
the direction of the light they give the usual map shading, lit from the north-west, and the direct sunlight that each
cell receives on every day of the year, from POSITIONS positions of the sun a day. Shadows that one hill casts on
another are left out.

A good lazy program, because the same few elementwise operations run for each position of the sun with other scalars:
NumPy makes eight passes over a small image each time, whereas fused it is one, and one plan serves all positions.

Usage: hillshade.py [POSITIONS]
"""

import argparse
import math
import zlib

import numpy as np
from matplotlib.cbook import get_sample_data

METRES_PER_DEGREE = 111_200  # along a meridian
OBLIQUITY = math.radians(23.44)
DAYS_OF_MONTH = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def load_elevation():
    """Elevation in metres with north first, size of a cell along x and y in metres, and latitude in radians."""
    with get_sample_data("jacksboro_fault_dem.npz") as dem:
        elevation = np.asarray(dem["elevation"], dtype=np.float64)
        latitude = math.radians(dem["ymin"])
        dx = METRES_PER_DEGREE * float(dem["dx"]) * math.cos(latitude)
        dy = METRES_PER_DEGREE * float(dem["dy"])
    return elevation, dx, dy, latitude


def surface_normals(e, dx, dy):
    """East, north and up components of the unit normals (Horn, 1981); one cell is lost at each border."""
    to_east = (e[:-2, 2:] + 2 * e[1:-1, 2:] + e[2:, 2:] - e[:-2, :-2] - 2 * e[1:-1, :-2] - e[2:, :-2]) / (8 * dx)
    to_north = (e[:-2, :-2] + 2 * e[:-2, 1:-1] + e[:-2, 2:] - e[2:, :-2] - 2 * e[2:, 1:-1] - e[2:, 2:]) / (8 * dy)
    up = 1 / np.sqrt(1 + to_east**2 + to_north**2)
    return -to_east * up, -to_north * up, up


def illumination(normals, light):
    """Cosine of the angle between the normals and the direction of the light, 0 where the light comes from behind."""
    (nx, ny, nz), (lx, ly, lz) = normals, light
    return np.maximum(nx * lx + ny * ly + nz * lz, 0)


def sun_path(day, latitude, positions):
    """Yield the direction of the sun (east, north, up) at evenly spaced times of a day of the year while it is up."""
    declination = -OBLIQUITY * math.cos(2 * math.pi * (day + 10) / 365)
    for i in range(positions):
        hour_angle = 2 * math.pi * (i + 0.5) / positions - math.pi
        # The sun's direction in the plane of the equator and along the axis of the earth, turned to the horizon.
        outward = math.cos(declination) * math.cos(hour_angle)
        axial = math.sin(declination)
        up = outward * math.cos(latitude) + axial * math.sin(latitude)
        if up > 0:
            east = -math.cos(declination) * math.sin(hour_angle)
            north = axial * math.cos(latitude) - outward * math.sin(latitude)
            yield east, north, up


def beam(up):
    """Direct sunlight through a clear sky in kW/m2, on a surface that faces the sun (Meinel and Meinel, 1976)."""
    air_mass = 1 / up
    return 1.353 * 0.7 ** (air_mass**0.678)


def add_sunlight(energy, normals, day, latitude, positions):
    """Add the energy that each cell receives on a day, in kWh/m2, to `energy` in place."""
    for sun in sun_path(day, latitude, positions):
        energy += beam(sun[2]) * 24 / positions * illumination(normals, sun)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("positions", nargs="?", type=int, default=24, help="positions of the sun in 24 hours")
    positions = parser.parse_args().positions
    if positions < 4:
        parser.error("POSITIONS must be at least 4")

    elevation, dx, dy, latitude = load_elevation()
    normals = surface_normals(elevation, dx, dy)
    east, north, up = normals
    slope = np.degrees(np.arccos(up))
    print(f"{elevation.shape[0]} x {elevation.shape[1]} cells of {dx:.2f} x {dy:.2f} m, sum {elevation.sum():.0f} m")
    print(f"slope: mean {slope.mean():.8f}, steepest {slope.max():.8f} degrees")

    shade = illumination(normals, light=(-0.5, 0.5, math.sqrt(0.5)))  # from the north-west, 45 degrees high
    image = np.rint(255 * shade).astype(np.uint8)
    print(f"hillshade: mean {shade.mean():.9f}, std {shade.std():.9f}, crc32 {zlib.crc32(image.tobytes()):08x}")

    year = np.zeros_like(up)
    day = 0
    for month, days in enumerate(DAYS_OF_MONTH, start=1):
        energy = np.zeros_like(up)
        for _ in range(days):
            day += 1
            add_sunlight(energy, normals, day, latitude, positions)
        year += energy
        print(f"month {month:>2}: mean {energy.mean():.7f}  min {energy.min():.7f}  max {energy.max():.7f} kWh/m2")

    southern = (slope > 10) & (north < -2 * np.abs(east))
    northern = (slope > 10) & (north > 2 * np.abs(east))
    for name, cells in ("level ground", slope < 2), ("southern slopes", southern), ("northern slopes", northern):
        print(f"year, {name}: {cells.sum()} cells, mean {year.mean(where=cells):.7f} kWh/m2")


if __name__ == "__main__":
    main()
