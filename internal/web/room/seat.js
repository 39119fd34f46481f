// A seat at the table: taken once, kept through reloads and lost connections, given back.
import { connect } from "./call.js";

const waits = [500, 1000, 2000, 4000, 8000, 15000]; // ms between attempts to come back

// What somebody chose is kept by this tab alone, and for as long as it is open.
const kept = "glyphoxa-seat";

export function keptSeat(invite) {
  try {
    const seat = JSON.parse(sessionStorage.getItem(kept));
    return seat?.invite === invite ? seat : null;
  } catch {
    return null;
  }
}

// Seat is in one of the phases "joining", "here", "lost" (and coming back), and "gone".
// hear is given each message of the table, phase is called with each new one, and sound
// with the tracks that are heard.
export class Seat {
  #call = null; #timer = 0; #attempt = 0; #track = () => null; #busy = false;

  constructor({ invite, name, secret, ways, track, hear, phase, sound }) {
    Object.assign(this, { invite, name, secret, ways, hear, sound });
    this.#track = track;
    this.tell = phase;
    this.phase = "joining";
    this.comesAt = 0; // when the next attempt is made
    this.problem = null;
    addEventListener("online", this.#now);
  }

  #now = () => this.phase === "lost" && this.retry();

  #become(phase, problem) {
    this.phase = phase;
    this.problem = problem ?? null;
    if (phase === "gone") {
      removeEventListener("online", this.#now);
      sessionStorage.removeItem(kept);
    }
    this.tell(this);
  }

  // take joins, or fails with an error that has the status of the refusal.
  async take() {
    if (this.#busy) return;
    this.#busy = true;
    try {
      const call = await connect({
        invite: this.invite, name: this.name, seat: this.secret, track: this.#track(),
        hear: (m) => this.#hear(m), lost: () => this.#lost(),
      });
      if (this.phase === "gone") {
        call.close();
        return;
      }
      this.#call = call;
      this.#attempt = 0;
      this.table = call.taken.table;
      this.name = call.taken.name;
      this.secret = call.taken.seat;
      this.keep();
      this.#become("here");
      this.sound(call.tracks);
    } finally {
      this.#busy = false;
    }
  }

  keep() {
    sessionStorage.setItem(kept, JSON.stringify({ invite: this.invite, name: this.name, secret: this.secret, ways: this.ways }));
  }

  #hear(message) {
    if (message.type === "bye" && message.reason !== "The connection was lost.") {
      this.#call?.close();
      this.#call = null;
      this.#become("gone", new Error(message.reason));
      return;
    }
    this.hear(message);
  }

  #lost() {
    this.#call = null;
    if (this.phase === "gone") return;
    const wait = waits[Math.min(this.#attempt++, waits.length - 1)];
    this.comesAt = Date.now() + wait;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.retry(), wait);
    this.#become("lost");
  }

  // retry comes back now.
  async retry() {
    clearTimeout(this.#timer);
    this.comesAt = 0;
    this.tell(this);
    try {
      await this.take();
    } catch (error) {
      if ([400, 403, 409].includes(error.status)) this.#become("gone", error);
      else this.#lost();
    }
  }

  send(message) {
    return this.#call?.send(message) ?? false;
  }

  // speakWith has another microphone be heard, or the first: that takes a new connection.
  async speakWith(track, first) {
    if (!first) {
      await this.#call?.speakWith(track);
      return;
    }
    this.#call?.close();
    this.#call = null;
    await this.retry();
  }

  leave() {
    this.send({ type: "leave" });
    clearTimeout(this.#timer);
    this.#call?.close();
    this.#call = null;
    this.#become("gone", new Error("You have left the table."));
  }
}
