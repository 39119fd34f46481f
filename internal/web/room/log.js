// What is said, as it is said: captions that grow, dice, and what else one should know.
import { h, replace } from "./dom.js";
import { t } from "./words.js";
import { icon } from "./icons.js";
import { initial, tint } from "./around.js";

const most = 400; // lines on the page

export class Log {
  #lines = new Map(); #npc = ""; #calm = 0; #unseen = 0;

  constructor() {
    // The log itself is not announced: a caption that grows would be read again with each
    // word. What is complete is said once, in aloud.
    this.log = h("div", { class: "said-lines", role: "log", "aria-live": "off", tabindex: "0" });
    this.aloud = h("div", { class: "hidden-text", "aria-live": "polite" });
    this.newer = h("button", { type: "button", class: "newer", hidden: true, onclick: () => this.#toEnd() });
    this.el = h("div", { class: "log-box" }, this.log, this.newer, this.aloud);
    this.log.addEventListener("scroll", () => this.#atEnd() && this.#seen(), { passive: true });
    new ResizeObserver(() => this.newer.hidden && this.#toEnd()).observe(this.log);
    this.draw();
  }

  // begins is called with every new connection: what comes at once was said before.
  begins(npc) {
    this.#npc = npc ?? "";
    this.#calm = performance.now() + 1000;
    if (this.#lines.size === 0) this.draw();
  }

  // speaks shows that an NPC has begun to speak, before the first sentence can be read.
  speaks(who, on) {
    const id = `begins ${who}`;
    if (!on) this.gone(id);
    else if (![...this.#lines.values()].some((l) => l.speaker === who && l.final === false)) this.#put(id, { kind: "line", npc: true, speaker: who, text: "", final: false, grown: "" });
  }

  line(l) {
    const before = this.#lines.get(l.id);
    if (l.npc && !before) this.gone(`begins ${l.speaker}`);
    if (!before && l.text === "") return;
    this.#put(l.id, { ...l, kind: "line", grown: before?.text ?? "" });
    if (l.final && !before?.final) this.#announce(`${l.speaker}: ${l.text}`);
  }

  dice({ who, text }) {
    this.#put(`dice ${performance.now()} ${this.#lines.size}`, { kind: "dice", speaker: who, text });
    this.#announce(t("{who} rolls {text}", { who, text }));
  }

  note(text) {
    this.#put(`note ${performance.now()} ${this.#lines.size}`, { kind: "note", text });
    this.#announce(text);
  }

  gone(id) {
    this.#lines.get(id)?.el.remove();
    this.#lines.delete(id);
    this.#group();
  }

  #announce(text) {
    if (performance.now() < this.#calm || localStorage.getItem("aloud") === "off") return;
    this.aloud.append(h("p", {}, text));
    while (this.aloud.childElementCount > 4) this.aloud.firstElementChild.remove();
  }

  #atEnd() {
    return this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < 80;
  }

  #toEnd() {
    this.log.scrollTop = this.log.scrollHeight;
    this.#seen();
  }

  #seen() {
    this.#unseen = 0;
    this.newer.hidden = true;
  }

  #put(id, item) {
    const follow = this.#atEnd();
    const old = this.#lines.get(id);
    if (this.#lines.size === 0) replace(this.log);
    item.el = old?.el ?? h("article");
    this.#lines.set(id, item);
    this.#fill(item);
    if (!old) this.log.append(item.el);
    if (this.#lines.size > most) this.gone(this.#lines.keys().next().value);
    this.#group();
    if (follow) this.#toEnd();
    else if (!old) {
      this.newer.hidden = false;
      replace(this.newer, icon("down"), t("{n} new", { n: ++this.#unseen }));
    }
  }

  #fill(i) {
    const own = { line: this.#said, dice: this.#rolled, note: (x) => [x.text] }[i.kind];
    i.el.className = `entry ${i.kind} ${i.npc ? "npc" : ""} ${i.speaker ? tint(i.speaker) : ""}`;
    i.el.classList.toggle("open", i.kind === "line" && !i.final);
    replace(i.el, own.call(this, i));
  }

  #said(i) {
    const grows = i.grown !== "" && i.text.startsWith(i.grown) && i.text !== i.grown;
    return [
      h("span", { class: "face", "aria-hidden": "true" }, initial(i.speaker)),
      h("div", { class: "entry-head" }, h("span", { class: "who" }, i.speaker),
        i.addressed?.length > 0 && h("span", { class: "to small soft" }, t("to {who}", { who: i.addressed.join(", ") }))),
      h("p", { class: "words" }, grows ? [i.grown, h("span", { class: "new" }, i.text.slice(i.grown.length))] : i.text, !i.final && h("span", { class: "goes-on", "aria-hidden": "true" }))];
  }

  // A roll reads "1d20+3: 15 (12)".
  #rolled(i) {
    const [, what, total, each] = /^(.+): (-?\d+)(?: \((.*)\))?$/.exec(i.text) ?? [null, i.text, "", ""];
    return [icon("dice"), h("span", { class: "who" }, i.speaker), h("span", { class: "soft" }, what), total && h("strong", { class: "total" }, total), each && each !== total && h("span", { class: "small soft" }, `(${each})`)];
  }

  // #group leaves out the name where somebody goes on.
  #group() {
    let before = null;
    for (const i of this.#lines.values()) {
      i.el.classList.toggle("goes", i.kind === "line" && before?.kind === "line" && before.speaker === i.speaker && !i.addressed?.length);
      before = i;
    }
  }

  draw() {
    this.log.setAttribute("aria-label", t("What is said"));
    for (const i of this.#lines.values()) this.#fill(i);
    this.#group();
    if (this.#lines.size > 0) return;
    const name = this.#npc.split(" ")[0];
    replace(this.log, h("div", { class: "nothing" }, h("strong", {}, t("Nobody has said anything yet")),
      name && h("span", {}, t("Start with “Good evening, {npc}!”, aloud or in writing.", { npc: name }))));
  }
}
