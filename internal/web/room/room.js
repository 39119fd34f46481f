// The table: who is here, what is said, and what one can do.
import { h, replace } from "./dom.js";
import { t } from "./words.js";
import { icon } from "./icons.js";
import { Around } from "./around.js";
import { Log } from "./log.js";
import { Dock } from "./dock.js";
import { dice } from "./dice.js";
import { settings } from "./settings.js";

// Room draws the table of a seat. ears play what is heard.
export class Room {
  #root; #controls; #seat; #mic; #ears; #banners = new Map(); #notes = h("div", { class: "banners", role: "status" }); #clock = 0; #dice;

  constructor(root, controls, { seat, microphone, ears }) {
    Object.assign(this, { around: new Around(), log: new Log() });
    this.#root = root;
    this.#controls = controls;
    this.#seat = seat;
    this.#mic = microphone;
    this.#ears = ears;
    this.dock = new Dock(microphone, {
      say: (text) => this.#send({ type: "say", text }),
      hush: () => this.#send({ type: "stop" }),
      turnOn: () => this.turnOn(),
      noSound: (so) => so !== this.#banners.has("silent") && this.banner("silent", so && t("No sound comes from your microphone. Is it muted, or is it the wrong one?"), t("Choose another"), () => this.openSettings()),
      volume: () => ears.volume, setVolume: (v) => { ears.volume = v; },
      toggleDice: () => this.#dice.classList.toggle("open"),
    });
    this.draw();
  }

  #send(message) {
    const sent = this.#seat.send(message);
    if (!sent) this.banner("unsent", t("That was not sent, because you are not connected to the table right now."));
    else this.banner("unsent");
    return sent;
  }

  draw() {
    const open = this.#dice?.classList.contains("open");
    this.#dice = dice((expression) => this.#send({ type: "roll", dice: expression }));
    this.#dice.classList.toggle("open", open === true);
    this.around.draw();
    this.log.draw();
    this.dock.draw();
    replace(this.#root, h("h1", { class: "hidden-text" }, t("The table")), h("div", { class: "room" }, this.around.el, h("section", { class: "stage", "aria-label": t("What is said") }, this.#notes, this.log.el), this.#dice, this.dock.el));
    for (const [key, b] of this.#banners) this.banner(key, b.text, b.label, b.act);
    this.update();
  }

  // update shows what the seat and the microphone are like now.
  update() {
    const { phase, comesAt } = this.#seat;
    const state = { here: t("connected"), lost: t("reconnecting"), joining: t("Joining …"), gone: t("gone") }[phase];
    replace(this.#controls,
      h("span", { class: "state", role: "status" }, h("span", { class: `state-dot ${phase === "here" ? "on" : "off"}`, "aria-hidden": "true" }), h("span", { class: "soft small" }, state)),
      h("button", { type: "button", class: "quiet", "aria-label": t("Settings"), title: t("Settings"), onclick: () => this.openSettings() }, icon("settings")),
      h("button", { type: "button", class: "leave", onclick: () => this.#seat.leave() }, icon("leave"), h("span", {}, t("Leave"))));
    this.dock.update(this.#seat.ways);
    clearInterval(this.#clock);
    if (phase !== "lost") this.banner("lost");
    else {
      const tell = () => {
        const left = Math.ceil((comesAt - Date.now()) / 1000);
        this.banner("lost", left > 0 ? t("The connection was lost. Next try in {n} s.", { n: left }) : t("The connection was lost. Reconnecting …"), left > 0 && t("Try now"), () => this.#seat.retry());
      };
      tell();
      this.#clock = setInterval(tell, 1000);
    }
  }

  // banner says something above the lines until it is over: then it has no text.
  banner(key, text, label, act) {
    const old = this.#banners.get(key);
    if (!text) {
      old?.el.remove();
      this.#banners.delete(key);
      return;
    }
    const el = h("div", { class: "banner" }, h("span", {}, text), h("span", { class: "row" }, label && h("button", { type: "button", onclick: act }, label),
      key !== "lost" && h("button", { type: "button", class: "quiet", "aria-label": t("Dismiss"), onclick: () => this.#banners.get(key).el.remove() }, "✕")));
    if (old?.el.isConnected) old.el.replaceWith(el);
    else this.#notes.append(el);
    this.#banners.set(key, { el, text, label, act });
  }

  hear(m) {
    switch (m.type) {
      case "state": return this.around.take(m);
      case "line": return this.log.line(m);
      case "gone": return this.log.gone(m.id);
      case "speaking":
        if (this.around.npcs.some((n) => n.name === m.who)) this.log.speaks(m.who, m.on);
        return this.around.speaks(m.who, m.on);
      case "dice": return this.log.dice(m);
      case "notice": return this.log.note(t(m.text));
    }
  }

  // arrived is called with every new connection.
  arrived() {
    const { npcs, players, hears, title } = this.#seat.table;
    this.log.begins(npcs[0]?.name);
    this.around.speaking.clear();
    this.around.take({ npcs, players: players.map((name) => ({ name })), you: this.#seat.name });
    this.banner("deaf", !hears && t("The NPCs cannot hear voices at this table. Type to them; the other players hear you."));
    document.getElementById("brand").textContent = title || "Glyphoxa";
    document.title = title ? `${title} · Glyphoxa` : "Glyphoxa";
  }

  async turnOn() {
    const first = !this.#mic.track;
    try {
      await this.#mic.open(localStorage.getItem("microphone"));
    } catch (error) {
      this.microphoneProblem(error.problem);
      return;
    }
    this.banner("microphone");
    if (this.#seat.ways === "none") this.#seat.ways = "hold";
    this.#mic.mute(this.#seat.ways === "hold");
    await this.#seat.speakWith(this.#mic.track, first);
    this.#seat.keep();
    this.update();
  }

  microphoneProblem(problem) {
    this.banner("microphone", t(`microphone ${problem}`), problem !== "insecure" && t("Turn the microphone on"), () => this.turnOn());
  }

  openSettings() {
    settings({
      speaks: this.#mic.track !== null, ways: this.#seat.ways, input: this.#mic.device, output: this.#ears.output,
      talk: (ways) => {
        this.#seat.ways = ways;
        localStorage.setItem("ways", ways);
        this.#mic.mute(ways === "hold");
        this.#seat.keep();
        this.update();
      },
      chooseInput: async (id) => {
        localStorage.setItem("microphone", id);
        await this.turnOn();
      },
      chooseOutput: (id) => { this.#ears.output = id; },
      turnOn: () => this.turnOn(),
      redraw: () => this.draw(),
      forget: () => this.#send({ type: "forget" }),
    });
  }

  end() {
    clearInterval(this.#clock);
    this.dock.end();
  }
}
