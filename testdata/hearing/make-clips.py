"""Makes the clips that the hearing is scored on, with the exact truth about each.

Usage: make-clips.py FOLDER (default: $XDG_CACHE_HOME/glyphoxa/hearing)

It writes FOLDER/dev/*.wav and FOLDER/held/*.wav (48 kHz, mono, 16 bits) and, beside
them, dev.jsonl and held.jsonl with one line a clip. Times are milliseconds. An
utterance ends where its last sound does, before any room's echo of it. The same
packages make the same clips, byte for byte.
"""

import json
import multiprocessing
import os
import shutil
import sys
import time
import wave

import numpy as np

import sounds
import sources
from sounds import RATE, gain, silence, to_level

GROUPS = {  # name: clips
    "clean-synth": 24, "clean-human": 24, "short": 15, "soft": 12, "whisper": 12, "creaky": 9,
    "noise-20dB": 18, "noise-10dB": 18, "noise-5dB": 18, "noise-0dB": 18,
    "reverb": 24, "reverb-noise": 12, "babble": 12,
    "noise-alone": 36, "vocal": 12, "music": 21, "singing": 3, "speech-music": 15,
    "pauses-synth": 30, "pauses-human": 12,
}
MINGLED = ("pink", "fan", "rain", "typing", "dice", "street", "birds", "water", "hearth", "workshop", "fight", "office")
ALONE = ("pink", "brown", "fan", "rain", "typing", "dice", "clicks", "fight", "magic", "door", "birds", "animals",
         "hearth", "street", "water", "workshop", "alarm", "horn", "office")
VOCAL = ("coughs", "breathing", "laughter", "grunts")
PAUSES = (0, 0.15, 0.3, 0.5, 0.7, 0.9, 1.1, 1.3, 1.5)


class Clip:
    """A clip in the making: a dry track that speech is put on, one after another."""

    def __init__(self, group, number, third):
        self.id = "%s-%02d" % (group, number)
        self.seed = int(sources.rank(self.id)[:12], 16)
        self.rng = np.random.default_rng(self.seed)
        self.truth = {"id": self.id, "group": group, "seed": self.seed, "voices": [], "utterances": []}
        self.third = third
        self.number = number
        self.x = silence(self.rng.uniform(0.7, 1.5))

    def wait(self, least, most):
        self.x = np.concatenate([self.x, silence(self.rng.uniform(least, most))])

    def say(self, voice, said, level):
        """Puts an utterance at the end of the track, at level dBFS while it sounds."""
        x, spans = said
        x = x * (gain(level) / max(sounds.active_rms(x, spans), 1e-9))
        at = len(self.x)
        self.x = np.concatenate([self.x, x])
        spans = [[ms(a + at), ms(b + at)] for a, b in spans]
        self.truth["utterances"].append({"start": spans[0][0], "end": spans[-1][1], "spans": spans})
        if voice not in self.truth["voices"]:
            self.truth["voices"].append(voice)

    def active(self):
        return sounds.active_rms(self.x, [(int(a * RATE / 1000), int(b * RATE / 1000)) for u in self.truth["utterances"] for a, b in u["spans"]])

    def write(self, folder):
        floor = to_level(sounds.coloured(len(self.x), self.rng, 3), self.rng.uniform(-78, -64))
        x = np.clip(self.x + floor, -0.99, 0.99)
        name = os.path.join(self.third, self.id + ".wav")
        with wave.open(os.path.join(folder, name), "wb") as f:
            f.setnchannels(1)
            f.setsampwidth(2)
            f.setframerate(RATE)
            f.writeframes((x * 32767).astype("<i2").tobytes())
        self.truth.update(file=name, ms=ms(len(x)))
        return self.truth


def ms(samples):
    return int(round(samples * 1000 / RATE))


def talk(clip, made, human=None, level=(-27, -20), count=None, change=None, least=1.2, pauses=(0.4, 4)):
    """Several utterances of one speaker with pauses between, and 2.5 s after."""
    voice = made.voices.draw(clip.third, clip.rng, human)
    loud = clip.rng.uniform(*level)
    for i in range(count or int(clip.rng.integers(3, 6))):
        if i:
            clip.wait(*pauses)
        said = made.voices.utterance(voice, clip.rng, least=least)
        if change:
            said = change(said)
        clip.say(voice, said, loud + clip.rng.uniform(-1.5, 1.5))
    clip.wait(2.5, 3)


def mingle(clip, noise, snr):
    """Lays a noise under the whole clip, snr dB below its speech."""
    clip.truth["snr"] = snr
    clip.x = clip.x + to_level(noise, 20 * np.log10(clip.active()) - snr)


def clean(clip, made):
    talk(clip, made, human=clip.truth["group"] == "clean-human")


def short(clip, made):
    human = clip.number % 2 == 0
    for i in range(4):
        voice = made.voices.draw(clip.third, clip.rng, human)
        words = ("Stop!", "Yes.", "No!", "Bartok!", "Hello?", "Wait.", "Ready.", "Go on.")
        german = ("Halt!", "Ja.", "Nein!", "Bartok!", "Hallo?", "Warte.", "Fertig.", "Weiter.")
        if human:
            said = made.voices.utterance(voice, clip.rng, least=0.2)
        else:
            said = made.voices.utterance(voice, clip.rng, (german if ":de" in voice else words)[int(clip.rng.integers(8))])
        clip.say(voice, said, clip.rng.uniform(-26, -20))
        clip.wait(2, 4)


def soft(clip, made):
    talk(clip, made, level=(-46, -38), change=lambda said: (sounds.band(said[0], 80, 5000, 1), said[1]))
    clip.x = sounds.convolve(clip.x, sounds.room(clip.rng, 0.3))[: len(clip.x)]


def whisper(clip, made):
    if clip.number % 2:
        voice = "espeak:en-us+" + ("whisper", "whisperf")[clip.number // 2 % 2]
        for _ in range(3):
            clip.say(voice, made.voices.utterance(voice, clip.rng), clip.rng.uniform(-36, -28))
            clip.wait(1.5, 4)
        return

    def change(said):
        return sounds.whispered(said[0], clip.rng), said[1]
    talk(clip, made, human=True, level=(-36, -28), change=change)


def creaky(clip, made):
    if clip.number % 3 == 0:
        voice = "espeak:en-us+croak"
        for _ in range(3):
            clip.say(voice, made.voices.utterance(voice, clip.rng), clip.rng.uniform(-27, -21))
            clip.wait(1.5, 4)
        return

    def change(said):
        x, spans = said
        tail = max(spans[-1][1] - int(0.9 * RATE), 0)  # a voice creaks at the end of what it says
        return np.concatenate([x[:tail], sounds.creaky(x[tail:], clip.rng)]), spans
    talk(clip, made, change=change)


def noisy(clip, made):
    talk(clip, made)
    kind = MINGLED[clip.number % len(MINGLED)]
    clip.truth["noise"] = kind
    mingle(clip, made.recordings.noise(kind, clip.third, clip.rng, len(clip.x)), int(clip.truth["group"][6:-2]))


def reverb(clip, made):
    talk(clip, made, pauses=(1.2, 4))
    rt60 = 0.3 + 0.6 * (clip.number % 12) / 11
    clip.truth["rt60"] = round(rt60, 2)
    clip.x = sounds.convolve(clip.x, sounds.room(clip.rng, rt60))[: len(clip.x)]
    if clip.truth["group"] == "reverb-noise":
        kind = MINGLED[(clip.number * 5) % len(MINGLED)]
        clip.truth["noise"] = kind
        mingle(clip, made.recordings.noise(kind, clip.third, clip.rng, len(clip.x)), (20, 10)[clip.number % 2])


def babble(clip, made):
    alone = clip.number % 3 == 0
    if alone:
        clip.x = silence(25)
    else:
        talk(clip, made)
    n = len(clip.x)
    if clip.number % 2:
        files = made.recordings.crowd[clip.third]
        crowd = sounds.fit(sources.decode(files[int(clip.rng.integers(len(files)))]), n, clip.rng)
    else:
        crowd = np.zeros(n)
        for _ in range(7):
            voice, line = made.voices.draw(clip.third, clip.rng), np.zeros(0)
            while len(line) < n:
                line = np.concatenate([line, to_level(made.voices.utterance(voice, clip.rng, least=3)[0], -23), silence(clip.rng.uniform(0.1, 0.5))])
            crowd += np.roll(line, int(clip.rng.integers(n)))[:n] * clip.rng.uniform(0.5, 1)
        crowd = sounds.convolve(crowd, sounds.room(clip.rng, 0.5))[:n]
    if alone:
        clip.x = to_level(crowd, clip.rng.uniform(-34, -26))
    else:
        mingle(clip, crowd, (10, 5)[clip.number % 2])


def noise_alone(clip, made):
    kinds = VOCAL if clip.truth["group"] == "vocal" else ALONE
    kind = kinds[(clip.number if clip.third == "dev" else clip.number * 3) % len(kinds)]
    clip.truth["noise"] = kind
    noise = made.recordings.noise(kind, clip.third, clip.rng, 25 * RATE)
    clip.x = to_level(noise, clip.rng.uniform(-40, -20))


def music(clip, made):
    tracks = made.recordings.music[clip.third]
    track = tracks[made.turn(clip) % len(tracks)]
    clip.truth["music"] = [0, 30000]
    clip.truth["track"] = os.path.basename(track)
    clip.x = excerpt(clip, track, 30)


def excerpt(clip, track, seconds):
    x = sources.decode(track)
    n = int(seconds * RATE)
    at = int(clip.rng.integers(max(len(x) - n, 1)))
    x = sounds.fit(x, n, clip.rng) if len(x) < n else x[at:at + n].copy()
    fade = RATE // 10
    x[:fade] *= np.linspace(0, 1, fade)
    return to_level(x, clip.rng.uniform(-30, -18))


def singing(clip, made):
    track = made.recordings.sung[0 if clip.third == "dev" else 1]
    clip.truth["track"] = os.path.basename(track)
    clip.x = excerpt(clip, track, 20)


def speech_music(clip, made):
    talk(clip, made, count=2, pauses=(1.5, 2.5))
    end = clip.truth["utterances"][-1]["end"] / 1000 + clip.rng.uniform(0, 0.3)
    clip.x = clip.x[: int(end * RATE)]
    tracks = made.recordings.music[clip.third]
    track = tracks[(made.turn(clip) * 2 + 1) % len(tracks)]
    clip.truth["music"] = [ms(len(clip.x)), ms(len(clip.x)) + 45000]
    clip.truth["track"] = os.path.basename(track)
    clip.x = np.concatenate([clip.x, excerpt(clip, track, 45)])


def paused(clip, parts):
    """Parts of one sentence, each with its spans, with pauses of exact lengths
    between the last sound of one and the first of the next."""
    out, spans, lengths = np.zeros(0), [], []
    for x, said in parts:
        a, b = said[0][0], said[-1][1]
        if len(out):
            pause = PAUSES[int(clip.rng.integers(len(PAUSES)))]
            lengths.append(int(pause * 1000))
            out = np.concatenate([out, silence(pause)])
        spans += [(p - a + len(out), q - a + len(out)) for p, q in said]
        out = np.concatenate([out, x[a:b]])
    clip.truth.setdefault("pauses", []).append(lengths)
    return out, sources.joined(spans)


def pauses_synth(clip, made):
    voice = made.voices.draw(clip.third, clip.rng, False)
    texts = sources.PAUSED_GERMAN if ":de" in voice else sources.PAUSED
    for text in sources.pick(texts, clip.rng, 4):
        parts = [p.strip() for p in text.split("|")]
        # The comma makes the synthesiser end a part as something that goes on.
        parts = [p if p[-1] in ",.?!" else p + "," for p in parts]
        said = [made.voices.utterance(voice, clip.rng, p) for p in parts]
        clip.say(voice, paused(clip, [(x, s) for x, s in said]), -23)
        clip.wait(3.2, 4)


def pauses_human(clip, made):
    """Recorded sentences whose own short gaps between words are drawn out."""
    voice = made.voices.draw(clip.third, clip.rng, True, long=True)
    count = 0
    for _ in range(60):
        x, _ = made.voices.phrase(voice, clip.rng)
        spans = sounds.speech_spans(x, join=0.06)
        if len(spans) < 2 and len(x) > 0.6 * RATE:
            x = np.concatenate([x, silence(0.08), made.voices.phrase(voice, clip.rng)[0]])
            spans = sounds.speech_spans(x, join=0.06)
        if len(spans) < 2:
            continue
        cuts = sorted(int(c) for c in clip.rng.permutation(len(spans) - 1)[: int(clip.rng.integers(1, 3))])
        parts, first = [], 0
        for c in cuts + [len(spans) - 1]:
            a, b = spans[first][0], spans[c][1]
            parts.append((x[a:b], [(p - a, q - a) for p, q in spans[first:c + 1]]))
            first = c + 1
        clip.say(voice, paused(clip, parts), -23)
        clip.wait(3.2, 4)
        count += 1
        if count == 4:
            return


MAKERS = {"clean-synth": clean, "clean-human": clean, "short": short, "soft": soft, "whisper": whisper, "creaky": creaky,
          "noise-20dB": noisy, "noise-10dB": noisy, "noise-5dB": noisy, "noise-0dB": noisy,
          "reverb": reverb, "reverb-noise": reverb, "babble": babble, "noise-alone": noise_alone, "vocal": noise_alone,
          "music": music, "singing": singing, "speech-music": speech_music, "pauses-synth": pauses_synth, "pauses-human": pauses_human}


class Made:
    """What clips are made of, and which clips there are."""

    def __init__(self, root):
        self.voices = sources.Voices(root)
        self.recordings = sources.Recordings(root)
        self.clips = []  # (group, number, third)
        for group, count in GROUPS.items():
            third = sources.thirds(["%s-%02d" % (group, n) for n in range(count)])
            self.clips += [(group, n, "dev" if "%s-%02d" % (group, n) in third["dev"] else "held") for n in range(count)]

    def short(self):
        """The recordings that are short and mostly used."""
        kinds = {**self.voices.files, **self.recordings.things, **self.recordings.people}
        return sorted({path for files in kinds.values() for path in files})

    def turn(self, clip):
        """The how manyth clip of its group and third this is."""
        return [n for g, n, t in self.clips if g == clip.truth["group"] and t == clip.third].index(clip.number)


def start(root, folder):
    global made, target
    made, target = Made(root), folder


def make(job):
    clip = Clip(*job)
    MAKERS[job[0]](clip, made)
    return clip.third, clip.write(target)


def main():
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(cache, "glyphoxa", "hearing"))
    began = time.monotonic()
    for third in ("dev", "held"):
        os.makedirs(os.path.join(folder, third), exist_ok=True)
    root = sources.fetch(folder)
    truths = {"dev": [], "held": []}
    os.makedirs(os.path.join(root, "decoded"), exist_ok=True)
    with multiprocessing.Pool(max(os.cpu_count() or 2, 2), start, (root, folder)) as pool:
        short = Made(root).short()
        pool.map(sources.decode_all, [short[i:i + 24] for i in range(0, len(short), 24)], chunksize=1)
        for third, truth in pool.imap(make, Made(root).clips, chunksize=4):
            truths[third].append(truth)
    shutil.rmtree(os.path.join(root, "decoded"))
    for third, lines in truths.items():
        part = os.path.join(folder, third + ".jsonl.part")
        with open(part, "w", encoding="utf-8") as f:
            f.writelines(json.dumps(line, sort_keys=True) + "\n" for line in lines)
        os.replace(part, os.path.join(folder, third + ".jsonl"))
    print("hearing: %d clips, %d to develop with and %d held back, made in %d s in %s" % (
        sum(map(len, truths.values())), len(truths["dev"]), len(truths["held"]), time.monotonic() - began, folder))


if __name__ == "__main__":
    main()
