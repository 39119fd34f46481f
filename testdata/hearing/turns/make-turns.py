"""Makes clips of people and voices who pause, for what pitch, length and loudness before
a pause tell of whether they go on.

Usage: make-turns.py FOLDER (default: $XDG_CACHE_HOME/glyphoxa/hearing)

It writes FOLDER/turns/*.wav (48 kHz, mono, 16 bits), one for each speaker of the third
that is there to develop with, and turns.jsonl beside it: for each pause where its speech
begins and where the sound before the pause ends, in milliseconds, and whether the
speaker goes on. Synthetic voices read what ends in a full stop or a question mark, and
what ends in a comma. Of people, who goes on is known from the recording: they pause for
150 ms or more within it, or it is over.
"""

import glob
import json
import os
import shutil
import sys
import wave

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import sounds
import sources
from sounds import RATE, silence, to_level

OPEN = [
    "When we came to the old bridge,", "I would take the lantern,", "If nobody opens the gate,", "Because the road was flooded,",
    "The woman with the red scarf,", "After the third night in the forest,", "My brother, the one with the limp,", "Unless you have a better plan,",
    "We searched the whole cellar,", "So I went up to the captain,", "Before the sun goes down,", "There were seven of them,",
]
OPEN_GERMAN = [
    "Als wir an die alte Brücke kamen,", "Ich würde die Laterne nehmen,", "Wenn niemand das Tor öffnet,", "Weil der Weg überflutet war,",
    "Die Frau mit dem roten Tuch,", "Nach der dritten Nacht im Wald,", "Bevor die Sonne untergeht,", "Es waren sieben,",
]
MOST = 60  # recordings of a person


def ms(samples):
    return int(round(samples * 1000 / RATE))


class Speaker:
    """One speaker's clip in the making."""

    def __init__(self, name, human):
        self.x = silence(0.5)
        self.truth = {"voice": name, "human": human, "pauses": []}

    def say(self, x, spans, ends):
        """Puts speech at the end, each stretch of which ends as one of ends says."""
        x = to_level(x, -23)
        for (a, b), kind in zip(spans, ends):
            self.truth["pauses"].append({"start": ms(len(self.x) + a), "end": ms(len(self.x) + b), "kind": kind})
        self.x = np.concatenate([self.x, x, silence(0.7)])

    def write(self, folder, rng):
        name = os.path.join("turns", self.truth["voice"].replace(":", "-").replace("+", "-") + ".wav")
        x = np.clip(self.x + to_level(sounds.coloured(len(self.x), rng, 3), -70), -0.99, 0.99)
        with wave.open(os.path.join(folder, name), "wb") as f:
            f.setnchannels(1)
            f.setsampwidth(2)
            f.setframerate(RATE)
            f.writeframes((x * 32767).astype("<i2").tobytes())
        self.truth["file"] = name
        return self.truth


def synthetic(name, rng):
    """Sentences, questions and what goes on, by turns as they come."""
    german = ":de" in name
    paused = [p.split("|")[0].strip() for p in (sources.PAUSED_GERMAN if german else sources.PAUSED)]
    texts = (sources.GERMAN if german else sources.ENGLISH) + (OPEN_GERMAN if german else OPEN) + [p if p.endswith(",") else p + "," for p in paused]
    s = Speaker(name, False)
    for text in sources.pick(texts, rng, len(texts)):
        said = sounds.trimmed(sources.synthesise(name, text))
        if said is None:
            continue
        x, spans = said
        kind = "goes on" if text.endswith(",") else "question" if text.endswith("?") else "ends"
        s.say(x, [(spans[0][0], spans[-1][1])], [kind])
    return s


def recordings(root, some):
    """All recordings of the person of whom some are given."""
    if "_desc_" in some:  # several people's, told apart by their language
        found = glob.glob(os.path.join(root, "usr/share/tuxpaint/stamps/**/*" + some[some.index("_desc_"):]), recursive=True)
    else:
        found = glob.glob(os.path.join(os.path.dirname(some), "*" + os.path.splitext(some)[1]))
    return sources.shuffled(found)


def human(name, files, rng):
    s = Speaker(name, True)
    for path in files[:MOST]:
        x = sources.decode(path)
        db = sounds.decibels(x)
        if len(x) < 0.6 * RATE or np.percentile(db, 95) - np.min(db) < 30:
            continue
        said = sounds.trimmed(x)
        if said is None or len(said[0]) > 30 * RATE:
            continue
        x, spans = said
        spans = [(a, b) for a, b in spans if b - a > 0.3 * RATE]
        if spans:
            s.say(x, spans, ["goes on"] * (len(spans) - 1) + ["ends"])
    return s


def main():
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(cache, "glyphoxa", "hearing"))
    os.makedirs(os.path.join(folder, "turns"), exist_ok=True)
    root = sources.fetch(folder)
    os.makedirs(os.path.join(root, "decoded"), exist_ok=True)
    voices = sources.Voices(root)
    truths = []
    for name in voices.human["dev"]:
        if name.split(":")[0] in ("shout", "alsa"):  # who only say a word or two
            continue
        rng = np.random.default_rng(int(sources.rank(name)[:12], 16))
        files = voices.files[name][:1] if name.startswith("codec2:") else recordings(root, voices.files[name][0])
        truths.append(human(name, files, rng).write(folder, rng))
    for name in voices.synth["dev"]:
        rng = np.random.default_rng(int(sources.rank(name)[:12], 16))
        truths.append(synthetic(name, rng).write(folder, rng))
    shutil.rmtree(os.path.join(root, "decoded"))
    part = os.path.join(folder, "turns.jsonl.part")
    with open(part, "w", encoding="utf-8") as f:
        f.writelines(json.dumps(t, sort_keys=True) + "\n" for t in truths)
    os.replace(part, os.path.join(folder, "turns.jsonl"))
    print("hearing: %d speakers and %d pauses in %s" % (len(truths), sum(len(t["pauses"]) for t in truths), folder))


if __name__ == "__main__":
    main()
