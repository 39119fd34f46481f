// Who sits around the table, and who of them speaks now.
import { h, replace, colour } from "./dom.js";
import { t } from "./words.js";
import { icon } from "./icons.js";

// tint is a colour for everybody at the table, nobody else's as long as there are enough.
const tints = new Map();
export function tint(name) {
  if (!tints.has(name)) {
    const used = new Set(tints.values()), first = Number(colour(name).slice(1));
    const free = [...Array(8).keys()].map((i) => `c${(first + i) % 8}`);
    tints.set(name, free.find((c) => !used.has(c)) ?? free[0]);
  }
  return tints.get(name);
}

export const initial = (name) => [...name][0]?.toLocaleUpperCase(document.documentElement.lang) ?? "?";

// Around is one table's people.
export class Around {
  npcs = []; players = []; you = ""; speaking = new Set(); #drawn = new Map();

  constructor() {
    this.el = h("aside", { class: "around", tabindex: "0" });
  }

  take({ npcs, players, you }) {
    const about = new Map(this.npcs.map((n) => [n.name, n.description]));
    this.npcs = npcs.map((n) => ({ ...n, description: n.description ?? about.get(n.name) }));
    this.players = players;
    this.you = you ?? this.you;
    this.draw();
  }

  speaks(who, on) {
    if (on) this.speaking.add(who);
    else this.speaking.delete(who);
    const el = this.#drawn.get(who);
    if (el) this.#mark(el, who);
  }

  #mark(el, who) {
    const on = this.speaking.has(who);
    el.classList.toggle("speaks", on);
    el.querySelector(".now").textContent = on ? t("speaks") : "";
  }

  #one(name, about, muted) {
    const el = h("li", { class: `one ${tint(name)}`, title: about },
      h("span", { class: "face", "aria-hidden": "true" }, initial(name)),
      h("span", { class: "named" }, h("span", { class: "who" }, name), about && h("span", { class: "about small soft" }, about)),
      h("span", { class: "now small" }),
      muted && h("span", { class: "is-muted" }, icon("silent"), h("span", { class: "hidden-text" }, t("muted"))));
    this.#drawn.set(name, el);
    this.#mark(el, name);
    return el;
  }

  draw() {
    this.#drawn.clear();
    this.el.setAttribute("aria-label", t("Who is here"));
    const you = (p) => p.name === this.you ? t("you") : undefined;
    replace(this.el,
      h("h2", {}, t("NPCs")), h("ul", { class: "people" }, this.npcs.map((n) => this.#one(n.name, n.description))),
      h("h2", {}, t("Players")), h("ul", { class: "people" }, this.players.map((p) => this.#one(p.name, you(p), p.muted))));
  }
}
