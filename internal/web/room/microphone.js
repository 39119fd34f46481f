// The player's own microphone: opening it, how loud it is, and whether it is heard.

const tail = 250; // ms that are still heard after the button is let go: ends of words

// denied tells whether the person or the browser has said no: some browsers then have no
// device at all.
const denied = () => navigator.permissions?.query({ name: "microphone" }).then((p) => p.state === "denied", () => false);

// openMicrophone fails with a problem that has a text in words.js.
async function openMicrophone(device) {
  const no = (problem) => Object.assign(new Error(problem), { problem });
  if (!navigator.mediaDevices?.getUserMedia) throw no("insecure");
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: {
      echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1, ...(device && { deviceId: { ideal: device } }),
    } });
  } catch (error) {
    if (error.name === "NotAllowedError" || error.name === "SecurityError" || await denied()) throw no("denied");
    throw no(error.name === "NotReadableError" || error.name === "AbortError" ? "busy" : "missing");
  }
}

// Microphone is one that may be open or not. tell is called with whether it is muted;
// changed when something about it is different; ended when it was unplugged.
export class Microphone {
  #stream = null; #copy = null; #sound = null; #meter = null; #data = new Float32Array(1024); #tail = 0; #muted = true;

  constructor({ tell, changed, ended }) {
    this.tell = tell;
    this.changed = changed;
    this.ended = ended;
  }

  get track() { return this.#stream?.getAudioTracks()[0] ?? null; }
  get device() { return this.track?.getSettings().deviceId ?? ""; }
  get muted() { return this.#muted; }

  async open(device) {
    const stream = await openMicrophone(device);
    this.close();
    this.#stream = stream;
    this.track.enabled = !this.#muted;
    this.track.addEventListener("ended", () => {
      this.close();
      this.ended();
    });
    // What is measured is a copy, so that the meter moves while nobody else hears.
    this.#sound = new AudioContext();
    this.#meter = this.#sound.createAnalyser();
    this.#meter.fftSize = this.#data.length;
    this.#copy = stream.clone();
    this.#sound.createMediaStreamSource(this.#copy).connect(this.#meter);
    this.changed();
  }

  close() {
    for (const stream of [this.#stream, this.#copy]) stream?.getTracks().forEach((x) => x.stop());
    this.#sound?.close();
    this.#stream = this.#copy = this.#sound = this.#meter = null;
    this.changed();
  }

  // wake has the meter begin where the browser waited for a click.
  wake() {
    if (this.#sound?.state === "suspended") this.#sound.resume();
  }

  // level is between 0, nothing, and 1, as loud as can be.
  get level() {
    if (!this.#meter) return 0;
    this.#meter.getFloatTimeDomainData(this.#data);
    let sum = 0;
    for (const x of this.#data) sum += x * x;
    const decibels = 10 * Math.log10(sum / this.#data.length + 1e-12);
    return Math.min(1, Math.max(0, (decibels + 60) / 55));
  }

  mute(on) {
    clearTimeout(this.#tail);
    if (on === this.#muted) return;
    this.#muted = on;
    if (this.track) this.track.enabled = !on;
    this.tell(on);
    this.changed();
  }

  // letGo mutes when the end of the last word is through.
  letGo() {
    clearTimeout(this.#tail);
    this.#tail = setTimeout(() => this.mute(true), tail);
  }
}

export async function devices(kind) {
  const all = await navigator.mediaDevices?.enumerateDevices() ?? [];
  return all.filter((d) => d.kind === kind && d.label);
}
