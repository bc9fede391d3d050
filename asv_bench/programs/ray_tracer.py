"""Computer graphics: a ray tracer of three spheres over a plane, one ray and one 3-vector at a time."""

import sys

import numpy as np

height = int(sys.argv[1]) if len(sys.argv) > 1 else 90
width = 4 * height // 3

SPHERES = [
    (np.array([-0.8, 0.0, 3.0]), 0.7, np.array([0.9, 0.2, 0.2])),
    (np.array([0.7, 0.1, 2.5]), 0.6, np.array([0.2, 0.7, 0.9])),
    (np.array([0.1, -0.6, 2.0]), 0.3, np.array([0.9, 0.9, 0.3])),
]
LIGHT = np.array([5.0, 5.0, -5.0])
AMBIENT = 0.1


def normalize(v):
    return v / np.linalg.norm(v)


def intersect(origin, direction, center, radius):
    oc = origin - center
    b = 2 * np.dot(direction, oc)
    c = np.dot(oc, oc) - radius**2
    disc = b * b - 4 * c
    if disc > 0:
        t = (-b - np.sqrt(disc)) / 2
        if t > 1e-4:
            return t
    return np.inf


def trace(origin, direction):
    hits = [intersect(origin, direction, center, radius) for center, radius, _ in SPHERES]
    nearest = int(np.argmin(hits))
    if hits[nearest] == np.inf:
        return np.zeros(3)
    center, _, color = SPHERES[nearest]
    point = origin + hits[nearest] * direction
    normal = normalize(point - center)
    to_light = normalize(LIGHT - point)
    shadow = any(intersect(point + normal * 1e-3, to_light, c, r) < np.inf for c, r, _ in SPHERES)
    diffuse = 0.0 if shadow else max(np.dot(normal, to_light), 0)
    halfway = normalize(to_light - direction)
    specular = 0.0 if shadow else max(np.dot(normal, halfway), 0) ** 50
    return np.clip(color * (AMBIENT + diffuse) + specular, 0, 1)


image = np.zeros((height, width, 3))
eye = np.array([0.0, 0.0, -1.0])
for i, y in enumerate(np.linspace(0.4, -0.5, height)):
    for j, x in enumerate(np.linspace(-0.6, 0.6, width)):
        image[i, j] = trace(eye, normalize(np.array([x, y, 0.0]) - eye))
print("mean colour", np.round(image.mean(axis=(0, 1)), 5), f"lit {np.mean(image.sum(axis=2) > 0):.4f}")
