"""Survey statistics: means, quantiles, histograms and bootstrap intervals over groups of persons."""

import sys

import numpy as np

rng = np.random.default_rng(79)
persons = 3000
region = rng.integers(0, 12, size=persons)
age = rng.integers(18, 90, size=persons)
income = np.exp(rng.normal(10, 0.5, size=persons)) * (1 + 0.02 * region)

resamples = int(sys.argv[1]) if len(sys.argv) > 1 else 800
for group in range(12):
    values = income[region == group]
    low, median, high = np.percentile(values, [10, 50, 90])
    counts, _ = np.histogram(values, bins=10)
    medians = np.empty(resamples)
    for b in range(resamples):
        sample = values[rng.integers(0, len(values), size=len(values))]
        medians[b] = np.median(sample)
    interval = np.percentile(medians, [2.5, 97.5])
    correlation = np.corrcoef(age[region == group], values)[0, 1]
    print(f"{group:2d} {values.mean():9.2f} {median:9.2f} {high / low:6.3f} {counts.max():4d}", end=" ")
    print(f"{interval[0]:9.2f} {interval[1]:9.2f} {correlation:7.4f}")
