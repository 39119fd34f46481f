// What one does at the table: talk, type, have the NPCs be quiet, turn the sound up or down.
import { h, replace } from "./dom.js";
import { t } from "./words.js";
import { icon } from "./icons.js";

const typing = "input, textarea, select, button, a, summary, [contenteditable]";

// Dock is the bar at the bottom. act has what its parts do.
export class Dock {
  #held = false; #frame = 0; #act; #mic; #quietSince = 0; #ways = "hold";

  constructor(microphone, act) {
    this.#mic = microphone;
    this.#act = act;
    this.talk = h("button", { type: "button", class: "talk" });
    this.el = h("div", { class: "dock" });
    this.#holds();
    document.addEventListener("keydown", this.#down);
    document.addEventListener("keyup", this.#up);
    addEventListener("blur", this.#letGo);
    this.draw();
  }

  end() {
    cancelAnimationFrame(this.#frame);
    document.removeEventListener("keydown", this.#down);
    document.removeEventListener("keyup", this.#up);
    removeEventListener("blur", this.#letGo);
  }

  #down = (e) => {
    if (e.code !== "Space" || e.target.closest?.(typing) || document.querySelector("dialog[open]")) return;
    e.preventDefault();
    if (!e.repeat) this.#press();
  };

  #up = (e) => e.code === "Space" && this.#letGo();

  #press() {
    if (!this.#mic.track) return;
    if (this.#ways === "open") {
      this.#mic.mute(!this.#mic.muted);
      return;
    }
    this.#held = true;
    this.#mic.mute(false);
  }

  #letGo = () => {
    if (!this.#held) return;
    this.#held = false;
    this.#mic.letGo();
  };

  // #holds makes the button one that is held: by pointer, by key, and, where neither can
  // be held, as with a screen reader, by a click that lasts until the next.
  #holds() {
    const b = this.talk;
    const key = (e) => e.code === "Space" || e.code === "Enter";
    b.addEventListener("pointerdown", (e) => {
      if (e.button !== 0 || !this.#mic.track || this.#ways === "open") return;
      b.setPointerCapture(e.pointerId);
      this.#press();
    });
    for (const end of ["pointerup", "pointercancel", "lostpointercapture", "blur"]) b.addEventListener(end, this.#letGo);
    b.addEventListener("contextmenu", (e) => e.preventDefault());
    b.addEventListener("keydown", (e) => {
      if (!key(e) || !this.#mic.track) return;
      e.preventDefault();
      if (!e.repeat) this.#press();
    });
    b.addEventListener("keyup", (e) => {
      if (!key(e) || !this.#mic.track) return;
      e.preventDefault();
      this.#letGo();
    });
    b.addEventListener("click", (e) => {
      if (!this.#mic.track) this.#act.turnOn();
      else if (this.#ways === "open") this.#press();
      else if (e.detail === 0) this.#mic.mute(!this.#mic.muted);
    });
  }

  // update shows what the microphone does now.
  update(ways) {
    this.#ways = ways;
    const { track, muted } = this.#mic;
    const says = !track ? t("Turn the microphone on") : ways === "open" ? muted ? t("You are muted") : t("You are heard") : muted ? t("Hold to talk") : t("You are heard");
    this.talk.classList.toggle("on", Boolean(track) && !muted);
    this.talk.classList.toggle("off", !track);
    if (track) this.talk.setAttribute("aria-pressed", String(!muted));
    else this.talk.removeAttribute("aria-pressed");
    replace(this.talk, h("span", { class: "level", "aria-hidden": "true" }), icon(track && !(ways === "open" && muted) ? "mic" : "silent"), h("span", {}, says), track && ways === "hold" && muted && h("kbd", { class: "small" }, t("space")));
    cancelAnimationFrame(this.#frame);
    if (track) this.#measure();
  }

  // #measure moves the meter with each frame, and says when a microphone brings nothing.
  #measure() {
    const level = this.#mic.level;
    const bar = this.talk.firstElementChild;
    bar.style.setProperty("--level", level.toFixed(3));
    if (level > 0.02 || this.#mic.muted) this.#quietSince = performance.now();
    this.#act.noSound(performance.now() - this.#quietSince > 8000);
    this.#frame = requestAnimationFrame(() => this.#measure());
  }

  draw() {
    const line = h("input", { class: "grow", "aria-label": t("What you say"), placeholder: t("Say something"), maxlength: "2000", autocomplete: "off", enterkeyhint: "send" });
    const say = h("form", { class: "say" }, line, h("button", { class: "main", "aria-label": t("Send") }, icon("send")));
    say.addEventListener("submit", (e) => {
      e.preventDefault();
      if (line.value.trim() !== "" && this.#act.say(line.value.trim())) line.value = "";
    });
    line.addEventListener("keydown", (e) => e.key === "Escape" && line.blur());
    this.line = line;
    const volume = h("input", { type: "range", min: "0", max: "100", value: String(this.#act.volume()), "aria-label": t("Volume"), oninput: (e) => this.#act.setVolume(Number(e.target.value)) });
    replace(this.el, this.talk, say,
      h("div", { class: "dock-more" },
        h("button", { type: "button", class: "hush", onclick: this.#act.hush, title: t("Makes the NPCs stop speaking") }, icon("hush"), h("span", {}, t("Be quiet"))),
        h("label", { class: "volume" }, icon("sound"), volume),
        h("button", { type: "button", class: "dice-toggle", "aria-expanded": "false", onclick: (e) => e.currentTarget.setAttribute("aria-expanded", String(this.#act.toggleDice())) }, icon("dice"), h("span", {}, t("Dice")))));
    this.update(this.#ways);
  }
}
