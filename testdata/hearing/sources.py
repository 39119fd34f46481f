"""Where the sounds come from: Debian's packages and the synthesisers on this machine.

Packages of recordings are downloaded and unpacked into the cache, never installed;
of the synthesisers some must be installed. Every source belongs to one third, dev
or held, so that a voice or a track that was listened to while something was mended
is not among those it is judged by.
"""

import functools
import glob
import hashlib
import io
import os
import shutil
import subprocess
import tarfile

import numpy as np

import sounds

PROGRAMS = ["espeak-ng", "flite", "festival", "festvox-kallpc16k", "festvox-kdlpc16k",
            "festvox-us-slt-hts", "festlex-cmu", "festlex-poslex", "ffmpeg", "python3-numpy"]
RECORDINGS = ["alsa-utils", "asterisk-core-sounds-en-g722", "asterisk-core-sounds-fr-g722",
              "asterisk-core-sounds-it-g722", "asterisk-core-sounds-ru-g722",
              "asterisk-prompt-es-co", "asterisk-prompt-fr-armelle",
              "asterisk-prompt-it-menardi-wav", "codec2-examples", "fretsonfire-songs-muldjord",
              "fretsonfire-songs-sectoid", "frozen-bubble-data", "hedgewars-data",
              "lincity-ng-data", "oxygen-sounds", "sound-theme-freedesktop", "tuxpaint-data",
              "tuxpaint-stamps-default", "wesnoth-1.16-data", "wesnoth-1.16-music"]

ENGLISH = [
    "I push the door open and look around.", "Who built this bridge, and why is nobody guarding it?",
    "My torch is almost gone, so we should hurry.", "Ask the innkeeper about the missing horses.",
    "We split the silver into five equal shares.", "There is a trapdoor under the carpet.",
    "Can you read the letters on that stone?", "I would rather sleep in the barn tonight.",
    "The captain lied to us from the beginning.", "Give me the rope and stand back.",
    "How far is it to the next village?", "Nobody has seen the blacksmith since yesterday.",
    "I hide behind the barrels and wait.", "That was the third arrow, I have none left.",
    "What does the old woman want for the map?", "Put the candle out, somebody is coming.",
    "We could follow the river until it gets dark.", "The wolves are closer than I thought.",
    "I am not going down there without a rope.", "Tell him that we come as friends.",
    "Is the soup supposed to be green?", "Leave the horses here and bring the lantern.",
    "She promised to meet us at the mill.", "I search his pockets for a key.",
    "Let me try the window first.", "Somewhere behind this wall there must be a stair.",
    "Good evening, is there a room for the night?", "Twelve gold pieces, not one more.",
    "You can keep the sword, but I want the ring.", "Hold the shield up, I am right behind you.",
    "The king will not be pleased about this.", "It smells of smoke in here.",
    "Yes, exactly.", "No, wait a moment.", "All right, I am ready.", "Thank you, that is kind.",
]
GERMAN = [
    "Ich klopfe dreimal und warte ab.", "Wem gehört denn das Boot am Ufer?",
    "Wir sollten vor Sonnenuntergang im Dorf sein.", "Der Wirt hat uns gestern nichts davon erzählt.",
    "Gib mir bitte das Seil und die Laterne.", "Unter dem Teppich liegt eine Falltür.",
    "Kannst du die Schrift auf dem Stein lesen?", "Ich habe keine Pfeile mehr im Köcher.",
    "Wie weit ist es noch bis zur Mühle?", "Hinter der Mauer höre ich Schritte.",
    "Das Schwert kannst du behalten, ich nehme den Ring.", "Zwölf Goldstücke und keines mehr.",
    "Löscht das Feuer, da kommt jemand.", "Wir folgen dem Fluss, bis es dunkel wird.",
    "Nein, warte einen Augenblick.", "Ja, genau so machen wir das.",
    "Guten Abend, habt ihr noch ein Zimmer frei?", "Die Wölfe sind näher, als ich dachte.",
]
# Sentences with a place to pause at, marked by |.
PAUSED = [
    "I would like to go to the tower, | but not before we have eaten.",
    "If the guard falls asleep, | we take the key and run.",
    "Tell me about the dragon, | the one that lives in the north.",
    "I take the left path, | because the other one is flooded.",
    "We need rope, | torches, | and something to eat.",
    "So I was thinking | that we could ask the priest.",
    "My name is Alrik, | and this is my sister.",
    "Well, | I am not sure about that.",
    "Could you give me | two of the red bottles?",
    "When the bell rings, | everybody leaves the hall.",
    "I look at the | writing on the wall.",
    "The merchant, | who is still angry, | shows us the door.",
]
PAUSED_GERMAN = [
    "Ich möchte zum Turm, | aber erst nach dem Essen.",
    "Wenn die Wache schläft, | nehmen wir den Schlüssel.",
    "Wir brauchen Seile, | Fackeln | und etwas zu essen.",
    "Ich gehe nach links, | weil der andere Weg überflutet ist.",
    "Also ich dachte, | dass wir den Priester fragen.",
    "Der Händler, | der immer noch wütend ist, | zeigt uns die Tür.",
]


def rank(name):
    return hashlib.sha256(name.encode()).hexdigest()


def thirds(names):
    """Splits names into a third for dev and the rest for held, by their hashes."""
    ordered = shuffled(names)
    cut = (len(ordered) + 2) // 3
    return {"dev": sorted(ordered[:cut]), "held": sorted(ordered[cut:])}


def shuffled(names):
    """names in an order that is always the same and means nothing."""
    return sorted(names, key=lambda name: rank(name.split("usr/share/")[-1]))


def run(*command, data=None, env=None):
    done = subprocess.run(command, input=data, capture_output=True, env=env)
    if done.returncode:
        raise RuntimeError("%s: %s" % (command[0], done.stderr.decode(errors="replace")[-400:]))
    return done.stdout


def unpack(deb, root):
    """Unpacks the sounds of a package."""
    with tarfile.open(fileobj=io.BytesIO(run("dpkg-deb", "--fsys-tarfile", deb))) as package:
        for member in package:
            if not member.isdir() and member.name.endswith((".ogg", ".oga", ".wav", ".g722", ".gsm", ".raw")):
                package.extract(member, root)


def fetch(cache):
    """Unpacks the sounds of RECORDINGS under cache and returns the folder they are in."""
    root, debs = os.path.join(cache, "packages"), os.path.join(cache, "debs")
    os.makedirs(debs, exist_ok=True)
    os.makedirs(root, exist_ok=True)
    missing = [p for p in RECORDINGS if not os.path.exists(os.path.join(root, ".%s" % p))]
    if missing:
        print("hearing: downloading %d packages of recordings" % len(missing), flush=True)
        subprocess.run(["apt-get", "-q", "download", *missing], cwd=debs, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for package in missing:
        for deb in glob.glob(os.path.join(debs, package + "_*.deb")):
            unpack(deb, root)
            os.remove(deb)
        open(os.path.join(root, ".%s" % package), "w").close()
    shutil.rmtree(debs)
    return root


def decoded(path):
    """Where decode_all leaves a recording."""
    root = path[: path.index("usr/share/")]
    return os.path.join(root, "decoded", rank(path[len(root):])[:24])


def decode_all(paths):
    """Decodes recordings in one go: starting ffmpeg takes longer than a short one."""
    command = ["ffmpeg", "-v", "error", "-y"]
    for path in paths:
        command += {".g722": ["-f", "g722"], ".gsm": ["-f", "gsm"], ".raw": ["-f", "s16le", "-ar", "8000", "-ac", "1"]}.get(os.path.splitext(path)[1], []) + ["-i", path]
    for i, path in enumerate(paths):
        command += ["-map", "%d:a:0" % i, "-t", "90", "-f", "s16le", "-ac", "1", "-ar", str(sounds.RATE), decoded(path)]
    run(*command)


@functools.lru_cache(maxsize=48)
def decode(path):
    """The first 90 s of a recording."""
    if not os.path.exists(decoded(path)):
        decode_all([path])
    x = np.fromfile(decoded(path), "<i2") / 32768
    return x - np.mean(x) if len(x) else x


class Voices:
    """Speakers: name to what says a sentence, split into thirds."""

    SHOUTS = ("Excellent Byebye Illgetyou Justyouwait Leavemealone Gonnagetyou Watchthis Youllregretthat Runaway "
              "Takecover Thisoneismine Enemydown Brilliant Boring Reinforcements Comeonthen Cutitout Ohdear").split()
    SYNTHETIC = (["espeak:en-us+" + v for v in ("m1", "m3", "m7", "f2", "f4", "Andy", "Annie", "Belinda", "Lee", "Michael", "steph", "Mario", "klatt3")]
                 + ["espeak:en-gb-x-rp+" + v for v in ("m2", "f1", "Alicia", "Gene")]
                 + ["espeak:en-gb-scotland+m4"]
                 + ["espeak:de+" + v for v in ("m1", "m5", "m6", "f1", "f3", "f5", "Denis", "anika", "Jacky")])
    RECORDED = ["flite:" + v for v in ("kal16", "awb", "rms", "slt")] + ["festival:" + v for v in ("kal_diphone", "ked_diphone", "cmu_us_slt_arctic_hts")]

    def __init__(self, root):
        self.files = {}
        share = os.path.join(root, "usr/share")
        asterisk = os.path.join(share, "asterisk/sounds")
        for name, folder, form in (("allison", "en_US_f_Allison", "g722"), ("june", "fr_CA_f_June", "g722"), ("carlo", "it_IT_m_Carlo", "g722"),
                                   ("ivr-ru", "ru_RU_f_IvrvoiceRU", "g722"), ("menardi", "it_IT_f_Menardi", "wav"), ("armelle", "fr", "gsm"), ("es-co", "es", "gsm")):
            self.files["prompt:" + name] = glob.glob(os.path.join(asterisk, folder, "*." + form))
        for language in ("bg", "be", "ca", "da", "el", "es", "ro", "ru"):
            self.files["stamp:" + language] = glob.glob(os.path.join(share, "tuxpaint/stamps/**/*_desc_%s.ogg" % language), recursive=True)
        for name in ("hts1a", "hts2a", "forig", "morig", "f2400", "m2400", "kristoff", "vk5qi"):
            self.files["codec2:" + name] = [os.path.join(share, "codec2/raw/%s.raw" % name)]
        for pack in ("British", "Classic", "Default", "Default_es", "Default_pl", "Default_uk", "HillBilly", "Mobster", "Pirate", "Russian", "Surfer"):
            folder = os.path.join(share, "games/hedgewars/Data/Sounds/voices", pack)
            self.files["shout:" + pack] = [f for f in (os.path.join(folder, s + ".ogg") for s in self.SHOUTS) if os.path.exists(f)]
        self.files["alsa:english"] = glob.glob(os.path.join(share, "sounds/alsa/*_*.wav"))
        self.files = {k: shuffled(v)[:24] for k, v in self.files.items() if v}
        self.human = self.split(self.files)
        self.synth = self.split(self.SYNTHETIC + self.RECORDED)

    @staticmethod
    def split(names):
        kinds = {}
        for name in names:
            kinds.setdefault(name.split(":")[0], []).append(name)
        parts = [thirds(group) for group in kinds.values() if len(group) > 1] + [thirds([n for g in kinds.values() if len(g) == 1 for n in g])]
        return {third: sorted(sum((p[third] for p in parts), [])) for third in ("dev", "held")}

    def draw(self, third, rng, human=None, long=False):
        """A speaker's name. long leaves out those who only say a word or two."""
        if human is None:
            human = rng.random() < 0.5
        names = (self.human if human else self.synth)[third]
        if long:
            names = [n for n in names if n.split(":")[0] not in ("shout", "alsa")]
        kinds = sorted({n.split(":")[0] for n in names})
        kind = kinds[int(rng.integers(len(kinds)))]
        names = [n for n in names if n.startswith(kind + ":")]
        return names[int(rng.integers(len(names)))]

    def utterance(self, name, rng, text=None, least=1.2):
        """What name says: samples, and the spans of speech in them."""
        if name in self.files:
            return self.recorded(name, rng, least)
        if text is None:
            texts = GERMAN if ":de" in name else ENGLISH
            text = texts[int(rng.integers(len(texts)))]
        said = sounds.trimmed(synthesise(name, text))
        if said is None:
            raise RuntimeError("%s says nothing for %r" % (name, text))
        return said

    def phrase(self, name, rng):
        """One recording of name whose speech stands out from its own noise."""
        for _ in range(40):
            x = decode(self.files[name][int(rng.integers(len(self.files[name])))])
            db = sounds.decibels(x)
            if len(x) < 0.3 * sounds.RATE or np.percentile(db, 95) - np.min(db) < 30:
                continue
            said = sounds.trimmed(x)
            if said and 0.25 * sounds.RATE < len(said[0]) < 14 * sounds.RATE:
                return said
        raise RuntimeError("%s has no clean recording" % name)

    def recorded(self, name, rng, least):
        out, spans = np.zeros(0), []
        while len(out) < least * sounds.RATE:
            x, said = self.phrase(name, rng)
            x = sounds.to_level(x, -23)
            if len(out):
                out = np.concatenate([out, sounds.silence(rng.uniform(0.04, 0.14))])
            spans += [(a + len(out), b + len(out)) for a, b in said]
            out = np.concatenate([out, x])
        return out, joined(spans)


def joined(spans, gap=0.15):
    out = []
    for a, b in spans:
        if out and a - out[-1][1] < gap * sounds.RATE:
            out[-1] = (out[-1][0], b)
        else:
            out.append((a, b))
    return out


@functools.lru_cache(maxsize=256)
def synthesise(name, text):
    engine, voice = name.split(":")[:2]
    if engine == "espeak":
        pace = 150 + int(rank(name + text)[:4], 16) % 45
        wav = run("espeak-ng", "-v", voice, "-s", str(pace), "--stdout", text)
    elif engine == "flite":
        wav = run("flite", "-voice", voice, "-t", text, "-o", "/dev/stdout")
    else:
        wav = run("text2wave", "-eval", "(voice_%s)" % voice, data=text.encode("ascii", "ignore"))
    # Written to a pipe, the header does not know the length.
    rate = int.from_bytes(wav[24:28], "little")
    raw = wav[wav.index(b"data") + 8:]
    return sounds.resampled(np.frombuffer(raw[: len(raw) // 2 * 2], "<i2") / 32768, rate)


class Recordings:
    """Music, and the sounds of things and people, each split into thirds."""

    def __init__(self, root):
        share = os.path.join(root, "usr/share")
        games = os.path.join(share, "games")
        wesnoth = os.path.join(games, "wesnoth/1.16/data/core")
        core = lambda *names: [f for n in names for f in glob.glob(os.path.join(wesnoth, "sounds", n))]
        city = lambda *names: [f for n in names for f in glob.glob(os.path.join(games, "lincity-ng/sounds", n))]
        theme = lambda *names: [f for n in names for f in glob.glob(os.path.join(share, "sounds", n))]
        hogs = os.path.join(games, "hedgewars/Data/Sounds")
        bubble = os.path.join(games, "frozen-bubble/snd")
        self.music = thirds(
            [f for f in glob.glob(os.path.join(wesnoth, "music/*.ogg")) if os.path.getsize(f) > 900000 and "nunc_dimittis" not in f]
            + [f for f in glob.glob(os.path.join(games, "hedgewars/Data/Music/*.ogg")) if os.path.getsize(f) > 400000]
            + glob.glob(os.path.join(games, "lincity-ng/music/**/*.ogg"), recursive=True)
            + glob.glob(os.path.join(games, "fretsonfire/data/songs/*/*/song.ogg"))
            + glob.glob(os.path.join(bubble, "*zik*.ogg")))
        self.music = {third: shuffled(tracks) for third, tracks in self.music.items()}
        self.sung = [os.path.join(wesnoth, "music/nunc_dimittis.ogg"), os.path.join(hogs, "hogchant3.ogg")]
        self.things = {
            "fight": core("sword-1.ogg", "axe.ogg", "mace*.*", "staff.*", "spear.*", "bow*.ogg", "crossbow*.ogg", "dagger-swish.wav", "knife.ogg", "fist.ogg", "flail*.ogg", "hatchet*.wav", "club*.ogg"),
            "magic": core("magic-*.ogg", "lightning*.ogg", "flame-big*.ogg", "heal.wav", "explosion.ogg", "water-blast.wav", "entangle.wav"),
            "door": core("open-chest.wav", "gold.ogg", "cave-in.ogg", "rumble.ogg", "torch*.ogg") + city("Window*.wav", "Raze*.wav", "Build*.wav", "Click.wav"),
            "birds": core("ambient/birds*.ogg", "ambient/morning.ogg", "ambient/night.ogg") + city("Green*.wav"),
            "animals": core("wolf-*.ogg", "horse-*.ogg", "gryphon-*.ogg", "bat-*.*", "hiss*.wav"),
            "hearth": core("ambient/campfire.ogg", "fire.wav") + city("Fire[0-9].wav"),
            "street": city("Trafic*.wav", "RailTrain*.wav", "DirtTrack*.wav"),
            "water": city("Water*.wav", "Harbor*.wav", "ParklandLake*.wav") + core("ambient/ship.ogg"),
            "workshop": city("Blacksmith*.wav", "Mill*.wav", "Industry*.wav", "WindMill*.wav", "Substation*.wav", "Recycle*.wav"),
            "alarm": theme("freedesktop/stereo/alarm*.oga", "freedesktop/stereo/phone*.oga", "freedesktop/stereo/bell.oga", "freedesktop/stereo/message*.oga", "Oxygen-Im-*.ogg", "Oxygen-Sys-*.ogg"),
            "horn": core("horn-signals/*.ogg"),
            "office": [os.path.join(bubble, "typewriter.ogg")] + glob.glob(os.path.join(share, "tuxpaint/sounds/*click*.wav")) + glob.glob(os.path.join(share, "tuxpaint/sounds/typewriter*.wav")),
        }
        self.people = {
            "laughter": glob.glob(os.path.join(hogs, "voices/*/Laugh.ogg")) + core("dwarf-laugh.wav") + glob.glob(os.path.join(wesnoth, "../**/witches-laugh.wav"), recursive=True)
            + glob.glob(os.path.join(share, "tuxpaint/sounds/giggle.wav")),
            "grunts": glob.glob(os.path.join(hogs, "voices/*/O*[w0-9].ogg")) + core("human-*.ogg", "dwarf-*.ogg", "groan.wav") + [os.path.join(bubble, "snore.ogg")],
        }
        for kind, files in {**self.things, **self.people}.items():
            (self.things if kind in self.things else self.people)[kind] = shuffled(files)[:24]
        self.crowd = thirds(city("SportsCroud*.wav", "Market*.wav"))
        self.thing_thirds = {kind: thirds(files) for kind, files in self.things.items() if files}
        self.people_thirds = {kind: thirds(files) for kind, files in self.people.items() if files}

    def noise(self, kind, third, rng, n):
        """n samples of one kind of noise, at no particular level."""
        if kind in sounds.SYNTHESISED:
            return sounds.SYNTHESISED[kind](rng, n)
        if kind in sounds.VOCAL:
            return sounds.VOCAL[kind](rng, n)
        files = (self.thing_thirds.get(kind) or self.people_thirds[kind])[third]
        loud = [sounds.to_level(decode(f), -20) for f in pick(files, rng, 4)]
        if max(len(x) for x in loud) > 4 * sounds.RATE:
            return sounds.fit(max(loud, key=len), n, rng)
        events, at = [], rng.uniform(0.1, 1.0)
        while at * sounds.RATE < n:
            x = loud[int(rng.integers(len(loud)))]
            events.append((int(at * sounds.RATE), x * rng.uniform(0.4, 1)))
            at += min(len(x) / sounds.RATE, 3) + rng.uniform(0.05, 1.5)
        return sounds.placed(n, events)


def pick(names, rng, most):
    names = list(names)
    return [names[i] for i in rng.permutation(len(names))[:most]]
