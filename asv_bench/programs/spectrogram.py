"""Signal processing: a spectrogram of a chirp with several windows, frame by frame."""

import sys

import numpy as np

repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 22
rate, frame_size, hop = 8000, 256, 64

t = np.arange(3 * rate) / rate
rng = np.random.default_rng(59)
signal = np.sin(2 * np.pi * (200 * t + 300 * t**2)) + 0.3 * rng.normal(size=t.size)


def spectrogram(signal, window):
    frames = []
    for start in range(0, len(signal) - frame_size + 1, hop):
        frame = signal[start : start + frame_size]
        spectrum = np.fft.rfft((frame - frame.mean()) * window)
        power = np.abs(spectrum) ** 2 / np.sum(window**2)
        frames.append(10 * np.log10(power + 1e-12))
    return np.array(frames)


frequencies = np.fft.rfftfreq(frame_size, 1 / rate)
for repeat in range(repeats):
    for name, window in [("hann", np.hanning(frame_size)), ("blackman", np.blackman(frame_size))]:
        levels = spectrogram(signal * (1 + 0.01 * repeat), window)
        track = frequencies[np.argmax(levels, axis=1)]
        centroid = np.mean(np.sum(frequencies * 10 ** (levels / 10), axis=1) / np.sum(10 ** (levels / 10), axis=1))
        if repeat == repeats - 1:
            print(f"{name}: track {track[0]:.1f} to {track[-1]:.1f} Hz, mean centroid {centroid:.4f} Hz")
