"""Signals: levels, noises, rooms, and where the speech of a recording is.

Everything is mono at 48 kHz in float64, full scale 1. All randomness comes from
the numpy generator that is handed in.
"""

import numpy as np

RATE = 48000


def silence(seconds):
    return np.zeros(int(round(seconds * RATE)))


def resampled(x, rate):
    """x, sampled at rate, at RATE."""
    n = int(round(len(x) * RATE / rate))
    if not n:
        return np.zeros(0)
    spectrum = np.zeros(n // 2 + 1, complex)
    own = np.fft.rfft(x)
    keep = min(len(own), len(spectrum))
    spectrum[:keep] = own[:keep]
    return np.fft.irfft(spectrum, n) * (n / len(x))


def rms(x):
    return float(np.sqrt(np.mean(x * x))) if len(x) else 0.0


def gain(db):
    return 10.0 ** (db / 20.0)


def to_level(x, dbfs):
    """Scales x to an RMS of dbfs."""
    level = rms(x)
    return x * (gain(dbfs) / level) if level > 0 else x


def fit(x, n, rng):
    """Loops x with cross-fades of 50 ms, from a random place, to n samples."""
    fade = RATE // 20
    if len(x) < 4 * fade:
        x = np.concatenate([x, np.zeros(4 * fade - len(x))])
    x = np.roll(x, -int(rng.integers(len(x))))
    ramp = np.linspace(0, 1, fade)
    loop = x[: len(x) - fade].copy()
    loop[:fade] = loop[:fade] * ramp + x[len(x) - fade:] * (1 - ramp)
    return np.tile(loop, n // len(loop) + 1)[:n]


def band(x, low, high, order=4):
    """Keeps low to high Hz, with slopes like a Butterworth's of that order."""
    size = 1 << max(len(x) - 1, 1).bit_length()
    f = np.fft.rfftfreq(size, 1 / RATE)
    shape = np.ones_like(f)
    if low > 0:
        shape /= np.sqrt(1 + (low / np.maximum(f, 1e-6)) ** (2 * order))
    if high < RATE / 2:
        shape /= np.sqrt(1 + (f / high) ** (2 * order))
    return np.fft.irfft(np.fft.rfft(x, size) * shape, size)[: len(x)]


def coloured(n, rng, slope):
    """Noise whose power falls by slope dB an octave: 0 white, 3 pink, 6 brown."""
    size = 1 << max(n - 1, 1).bit_length()
    f = np.fft.rfftfreq(size, 1 / RATE)
    shape = np.maximum(f, 20) ** (-slope / 6.02)
    x = np.fft.irfft(np.fft.rfft(rng.standard_normal(size)) * shape, size)[:n]
    return x / rms(x)


def decibels(x, hop=RATE // 200, width=RATE // 50):
    """The level of x every 5 ms, over 20 ms around that place."""
    power = np.concatenate([[0], np.cumsum(x * x)])
    at = np.arange(0, len(x), hop)
    lo, hi = np.maximum(at - width // 2, 0), np.minimum(at + width // 2, len(x))
    return 10 * np.log10((power[hi] - power[lo]) / np.maximum(hi - lo, 1) + 1e-12)


def speech_spans(x, join=0.15):
    """Where a recording made in quiet sounds, as (start, end) in samples.

    A place sounds if it is less than 35 dB below the recording's loud parts and
    stands out from its noise floor. Gaps below join seconds belong to a word.
    """
    db = decibels(x)
    if not len(db):
        return []
    loud, floor = np.percentile(db, 95), np.percentile(db, 4)
    threshold = max(loud - 35, min(floor + 10, loud - 22))
    on = np.flatnonzero(db > threshold)
    if not len(on):
        return []
    hop, spans, start, last = RATE // 200, [], on[0], on[0]
    for i in on[1:]:
        if (i - last) * hop > join * RATE:
            spans.append((start * hop, (last + 1) * hop))
            start = i
        last = i
    spans.append((start * hop, min((last + 1) * hop, len(x))))
    # A click of the recorder far from any word is no speech.
    kept = [s for s in spans if s[1] - s[0] >= 0.06 * RATE]
    return kept or spans


def active_rms(x, spans):
    return rms(np.concatenate([x[a:b] for a, b in spans])) if spans else rms(x)


def trimmed(x):
    """x from 20 ms before its first sound to 40 ms after its last, faded at both
    ends, and the spans of speech in it; None where nothing sounds."""
    spans = speech_spans(x)
    if not spans:
        return None
    a = max(spans[0][0] - RATE // 50, 0)
    b = min(spans[-1][1] + RATE // 25, len(x))
    y = x[a:b].copy()
    fade = min(RATE // 100, len(y) // 2)
    y[:fade] *= np.linspace(0, 1, fade)
    y[len(y) - fade:] *= np.linspace(1, 0, fade)
    return y, [(s - a, e - a) for s, e in spans]


def room(rng, rt60):
    """The response of a room: the direct sound, six early reflections, and noise
    that decays by 60 dB in rt60 seconds, darker than the direct sound."""
    n = int(rt60 * 1.2 * RATE)
    t = np.arange(n) / RATE
    tail = rng.standard_normal(n) * 10 ** (-3 * t / rt60)
    tail[: RATE // 50] *= np.linspace(0, 1, RATE // 50)
    tail = band(tail, 120, 6000, 1)
    response = np.zeros(n)
    response[0] = 1
    for _ in range(6):
        at = int(rng.uniform(0.004, 0.045) * RATE)
        response[at] += rng.choice([-1, 1]) * rng.uniform(0.15, 0.6)
    ratio = rng.uniform(0, 8)  # direct sound over tail, in dB
    tail *= np.sqrt(np.sum(response ** 2)) / np.sqrt(np.sum(tail ** 2)) * gain(-ratio)
    return response + tail


def convolve(x, response):
    n = len(x) + len(response) - 1
    size = 1 << (n - 1).bit_length()
    return np.fft.irfft(np.fft.rfft(x, size) * np.fft.rfft(response, size), size)[:n]


def whispered(x, rng):
    """Speech with its vocal cords taken out: the envelope of its spectrum on
    noise, weak below 500 Hz."""
    size, hop = 2048, 512
    window = np.hanning(size)
    noise = rng.standard_normal(len(x) + size)
    x = np.concatenate([x, np.zeros(size)])
    out = np.zeros(len(x))
    f = np.fft.rfftfreq(size, 1 / RATE)
    tilt = 1 / (1 + (500 / np.maximum(f, 1)) ** 2)
    for i in range(0, len(x) - size, hop):
        magnitude = np.log(np.abs(np.fft.rfft(x[i:i + size] * window)) + 1e-7)
        cepstrum = np.fft.irfft(magnitude)
        cepstrum[60:-60] = 0
        envelope = np.exp(np.fft.rfft(cepstrum).real)
        source = np.fft.rfft(noise[i:i + size] * window)
        out[i:i + size] += np.fft.irfft(source / 30 * envelope * tilt) * window
    return out[: len(x) - size]


def creaky(x, rng):
    """A voice that breaks: every other period of about 35 Hz is damped."""
    n, out, i = len(x), x.copy(), 0
    while i < n:
        period = int(RATE / rng.uniform(28, 42))
        out[i + period // 3:i + period] *= np.linspace(0.6, 0.02, max(len(out[i + period // 3:i + period]), 1))
        i += period
    return out


def struck(rng, n, frequencies, decay):
    """One thing hit: damped tones over a burst of noise."""
    t = np.arange(n) / RATE
    x = rng.standard_normal(n) * np.exp(-t / 0.0015)
    for f in frequencies:
        x += rng.uniform(0.2, 0.8) * np.sin(2 * np.pi * f * t + rng.uniform(0, 6)) * np.exp(-t / (decay * rng.uniform(0.5, 1.2)))
    return x


def placed(n, events):
    """A signal of n samples with sounds at their places."""
    out = np.zeros(n)
    for at, x in events:
        if 0 <= at < n:
            x = x[: n - at]
            out[at:at + len(x)] += x
    return out


def dice(rng, n):
    events, at = [], rng.uniform(0.3, 1)
    while at * RATE < n:
        step, t = rng.uniform(0.05, 0.12), at
        for _ in range(int(rng.integers(5, 14))):
            hit = struck(rng, RATE // 20, rng.uniform(1800, 6500, 3), 0.004)
            events.append((int(t * RATE), hit * rng.uniform(0.3, 1)))
            step *= 0.86
            t += step * rng.uniform(0.7, 1.3)
        at = t + rng.uniform(0.8, 4)
    return placed(n, events)


def typing(rng, n):
    events, at = [], rng.uniform(0.2, 0.8)
    while at * RATE < n:
        for _ in range(int(rng.integers(3, 20))):
            key = struck(rng, RATE // 16, rng.uniform(300, 3500, 3), 0.006) * rng.uniform(0.4, 1)
            events.append((int(at * RATE), key))
            events.append((int((at + rng.uniform(0.05, 0.09)) * RATE), key * 0.4))
            at += rng.uniform(0.07, 0.24)
        at += rng.uniform(0.4, 2)
    return placed(n, events)


def clicks(rng, n):
    at = np.cumsum(rng.uniform(0.2, 2.5, 200))
    return placed(n, [(int(t * RATE), struck(rng, RATE // 100, rng.uniform(800, 5000, 1), 0.002)) for t in at])


def rain(rng, n):
    drops = placed(n, [(int(rng.integers(n)), struck(rng, 960, rng.uniform(1500, 7000, 1), 0.002) * rng.exponential(0.5)) for _ in range(n // 900)])
    return to_level(band(coloured(n, rng, 1.5), 400, 12000, 1), -20) + to_level(drops, -22)


def fan(rng, n):
    t = np.arange(n) / RATE
    hum = sum(np.sin(2 * np.pi * f * t) / (i + 1) for i, f in enumerate((100, 200, 300, 400)))
    wobble = 1 + 0.15 * np.sin(2 * np.pi * rng.uniform(0.5, 2) * t)
    return coloured(n, rng, 4) * wobble + 0.25 * hum


def coughs(rng, n):
    """Coughs: an explosion of 50 ms, then 200 ms of rough noise in a throat's shape."""
    events, at = [], rng.uniform(0.4, 1.5)
    while at * RATE < n:
        for _ in range(int(rng.integers(1, 4))):
            length = int(rng.uniform(0.22, 0.38) * RATE)
            t = np.arange(length) / RATE
            x = rng.standard_normal(length) * (np.exp(-t / 0.03) + 0.35 * np.exp(-t / 0.12))
            f = np.fft.rfftfreq(length, 1 / RATE)
            shape = sum(1 / (1 + ((f - c * rng.uniform(0.9, 1.1)) / w) ** 2) for c, w in ((550, 200), (1400, 350), (2700, 700)))
            events.append((int(at * RATE), to_level(np.fft.irfft(np.fft.rfft(x) * shape, length), -18)))
            at += rng.uniform(0.35, 0.6)
        at += rng.uniform(1, 4)
    return placed(n, events)


def breathing(rng, n):
    events, at = [], rng.uniform(0.2, 1)
    while at * RATE < n:
        for high, seconds in ((3500, rng.uniform(0.7, 1.2)), (1800, rng.uniform(0.9, 1.6))):
            length = int(seconds * RATE)
            events.append((int(at * RATE), band(coloured(length, rng, 2) * np.hanning(length), 300, high, 1)))
            at += seconds + rng.uniform(0.1, 0.5)
    return placed(n, events)


SYNTHESISED = {
    "pink": lambda rng, n: coloured(n, rng, 3),
    "brown": lambda rng, n: coloured(n, rng, 6),
    "fan": fan,
    "rain": rain,
    "typing": typing,
    "dice": dice,
    "clicks": clicks,
}
VOCAL = {"coughs": coughs, "breathing": breathing}
