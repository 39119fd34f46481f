// What one hears: the NPCs and the other players, each with a player of its own.
import { h } from "./dom.js";

export class Ears {
  #players = []; #output = localStorage.getItem("loudspeaker") ?? "";

  // blocked is told whether the browser waits for a click before it plays.
  constructor(blocked) {
    this.blocked = blocked;
    for (const event of ["pointerdown", "keydown"]) document.addEventListener(event, () => this.#waiting && this.play());
  }

  #waiting = false;

  get waits() { return this.#waiting; }

  get volume() {
    return Number(localStorage.getItem("volume") ?? 100);
  }

  set volume(v) {
    localStorage.setItem("volume", String(v));
    for (const p of this.#players) this.#set(p);
  }

  get output() { return this.#output; }

  set output(id) {
    this.#output = id;
    localStorage.setItem("loudspeaker", id);
    for (const p of this.#players) this.#set(p);
  }

  #set(p) {
    p.volume = this.volume / 100;
    p.muted = this.volume === 0;
    if (p.setSinkId && p.sinkId !== this.#output) p.setSinkId(this.#output).catch(() => {}); // it is gone: the usual one plays
  }

  // hear plays tracks. The players stay: once a browser lets them play, it always does.
  hear(tracks) {
    tracks.forEach((track, i) => {
      if (!this.#players[i]) {
        this.#players[i] = h("audio", { autoplay: true });
        document.body.append(this.#players[i]);
      }
      this.#players[i].srcObject = new MediaStream([track]);
      this.#set(this.#players[i]);
    });
    this.play();
  }

  async play() {
    try {
      await Promise.all(this.#players.map((p) => p.play()));
      this.#tell(false);
    } catch (error) {
      if (error.name === "NotAllowedError") this.#tell(true);
    }
  }

  #tell(waiting) {
    if (this.#waiting === waiting) return;
    this.#waiting = waiting;
    this.blocked(waiting);
  }

  stop() {
    for (const p of this.#players) p.srcObject = null;
  }
}
