// The NPCs, one card each: what each may and does, and the orders of who leads the game.
import { h, replace, empty, toast, colour } from "./dom.js";
import { t } from "./words.js";
import { order, may, seesAll, isLive } from "./api.js";

const tiers = ["fast", "standard", "deep"];

export function cards(root, app) {
  const made = new Map();
  const list = h("div", { class: "cards" });
  const voices = h("datalist", { id: "voices" });
  let offered = ""; // voices
  replace(root, h("h2", {}, t("NPCs")), list, voices);

  function update() {
    const npcs = app.status?.npcs ?? [];
    const names = new Set(npcs.map((n) => n.id));
    for (const [id, card] of made) {
      if (!names.has(id)) {
        card.el.remove();
        made.delete(id);
      }
    }
    for (const n of npcs) {
      if (!made.has(n.id)) {
        const card = makeCard(n, app);
        made.set(n.id, card);
        list.append(card.el);
      }
      made.get(n.id).update(n);
    }
    const ids = [...new Set(app.status?.voices ?? [])];
    if (ids.join("\n") !== offered) {
      offered = ids.join("\n");
      replace(voices, ids.map((value) => h("option", { value })));
    }
    if (npcs.length === 0) replace(list, empty(t("No NPCs"), t("There are no NPCs at this table.")));
  }
  return { update };
}

// send gives an order and says what came of it.
async function send(app, name, more) {
  try {
    const got = await order(name, more);
    if (got?.said) toast(got.said);
    app.refresh();
    return true;
  } catch (error) {
    toast(error.message, true);
    return false;
  }
}

function makeCard(n, app) {
  const leads = may("npc.control");
  const head = h("h3", {}, n.name);
  const tier = h("span", {});
  const about = h("div", { class: "small soft" });
  const marks = h("div", { class: "row small" });
  const mute = h("button", { type: "button" });
  let now = n;
  mute.addEventListener("click", () => send(app, now.muted ? "unmute" : "mute", { npc: now.name }));
  const more = leads ? orders(() => now, app) : null;
  const el = h("article", { class: `card ${colour(n.name)}`, "aria-label": n.name },
    h("div", { class: "card-head" }, head, tier), about, marks, leads && h("div", { class: "row" }, mute), more?.el);

  function update(next) {
    now = next;
    el.classList.toggle("muted", now.muted);
    replace(tier, h("span", { class: `chip ${now.ceiling}`, title: t("the longest it may think right now") }, now.ceiling));
    about.textContent = [now.role, now.place, t(`engine ${now.engine}`), seesAll() && (now.voice ? t("voice {id}", { id: now.voice }) : t("the usual voice"))].filter(Boolean).join(" · ");
    replace(marks,
      now.engine_why && h("span", { class: "careful" }, t("without {engine}: {why}", { engine: t(`engine ${now.configured}`), why: t(`differs ${now.engine_why}`) })),
      now.lease_tier && h("span", { class: `chip ${now.lease_tier}` }, t("raised to {tier} for {turns}, until {time}", { tier: now.lease_tier, turns: t("{n} turns", { n: now.lease_turns }), time: new Date(now.lease_until).toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" }) })),
      !now.lease_tier && now.ceiling !== now.tier && h("span", { class: "chip warn" }, t("limited below {tier}", { tier: now.tier })),
      now.muted && h("span", { class: "chip warn" }, t("muted")),
      now.directive && h("span", { class: "chip" }, t("your direction ({n} answers): {text}", { n: now.directive_turns, text: now.directive })),
      now.secrets > 0 && h("span", { class: "chip" }, t("secrets it may tell: {told} of {all}", { told: now.revealed ?? 0, all: now.secrets })),
      now.withheld > 0 && h("span", { class: "chip warn" }, t("stopped {n}×", { n: now.withheld })),
      now.cost && h("span", { class: "chip num" }, now.cost));
    marks.hidden = marks.childElementCount === 0;
    mute.textContent = now.muted ? t("Let speak") : t("Mute");
    mute.setAttribute("aria-pressed", String(now.muted));
    mute.setAttribute("aria-label", `${mute.textContent}: ${now.name}`);
    mute.disabled = !isLive();
  }
  return { el, update };
}

// orders are the rest of what may be ordered of an NPC.
function orders(now, app) {
  const raise = h("select", { "aria-label": t("Tier") }, tiers.map((x) => h("option", { value: x }, x)));
  raise.value = "deep";
  const turns = h("input", { type: "number", min: "1", max: "50", value: "10", size: "3", "aria-label": t("turns") });
  const voice = h("input", { "aria-label": t("Voice"), placeholder: t("Voice"), list: "voices", size: "10" });
  const one = (label, placeholder, act, extra) => {
    const text = h("input", { class: "grow", "aria-label": label, placeholder, maxlength: "1000", autocomplete: "off" });
    const form = h("form", { class: "row" }, extra, text, h("button", {}, label));
    form.addEventListener("submit", async (e) => {
      e.preventDefault();
      if (await act(text.value)) text.value = "";
    });
    return form;
  };
  return {
    el: h("details", {}, h("summary", {}, t("Lead")), h("div", {},
      one(t("Make it say"), t("a line the NPC says"), (text) => send(app, "say", { npc: now().name, text })),
      one(t("Direct"), t("how to play; leave empty to end it"), (text) => send(app, "direct", { npc: now().name, text })),
      h("div", { class: "row" }, raise, turns, h("span", { class: "small soft" }, t("turns")),
        h("button", { type: "button", onclick: () => send(app, "raise", { npc: now().name, tier: raise.value, turns: Number(turns.value) }) }, t("Raise")),
        h("button", { type: "button", onclick: () => send(app, "lower", { npc: now().name, tier: raise.value === "deep" ? "standard" : raise.value }) }, t("Limit"))),
      h("div", { class: "row" },
        h("button", { type: "button", onclick: () => send(app, "unsay", { npc: now().name }) }, t("Take back")),
        h("button", { type: "button", onclick: () => send(app, "again", { npc: now().name }) }, t("Ask again")),
        h("button", { type: "button", onclick: () => send(app, "reveal", { npc: now().name, text: "all" }) }, t("Reveal secrets")),
        h("button", { type: "button", onclick: () => send(app, "conceal", { npc: now().name }) }, t("Conceal"))),
      one(t("Try voice"), t("a sentence to try"), (text) => send(app, "try_voice", { npc: now().name, voice: voice.value || now().voice, text }), voice))),
  };
}
