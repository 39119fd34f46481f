// What is said at the table, who was meant and why, and the NPCs beside it.
import { h, replace, empty, toast, colour, ms, clock } from "./dom.js";
import { t } from "./words.js";
import { order, may, isLive } from "./api.js";
import { cards } from "./cards.js";

const shown = 120; // turns and notes on the page

export function table(root, app) {
  const log = h("div", { class: "log", role: "log", "aria-live": "polite", "aria-label": t("Transcript"), tabindex: "0" });
  const nothing = h("div", {});
  const scene = h("p", { class: "scene soft" });
  const title = h("h1", {});
  const side = h("section", { class: "npcs", "aria-label": t("NPCs") });
  const drawn = new Map();
  const begin = app.newest ? app.newest.id : undefined;

  replace(root, h("div", { class: "head" }, title, scene),
    h("div", { class: "split" }, h("section", { "aria-label": t("What is said") }, nothing, log, speakBox(app)), side));
  const beside = cards(side, app);

  function draw() {
    const items = app.story.items.slice(-shown);
    const keep = new Set(items);
    for (const [item, el] of drawn) {
      if (!keep.has(item)) {
        el.remove();
        drawn.delete(item);
      }
    }
    const atEnd = innerHeight + scrollY > document.documentElement.scrollHeight - 120;
    for (const item of items) {
      const old = drawn.get(item);
      if (!old) {
        const el = item.kind === "turn" ? h("article", { class: "turn" }) : note(item);
        drawn.set(item, el);
        log.append(el);
      }
      if (item.kind === "turn" && item.drawn !== signature(item) || !old && item.kind === "turn") {
        item.drawn = signature(item);
        turn(drawn.get(item), item);
      }
    }
    replace(nothing, items.length === 0 && empty(isLive() ? t("Nobody has said anything yet") : t("No game is running"), isLive() ? t("What players and NPCs say appears here, with who was meant, and why.") : t("When a session starts, what is said appears here.")));
    if (atEnd && items.length > 6) scrollTo(0, document.documentElement.scrollHeight);
  }

  function status() {
    const now = app.status;
    title.textContent = now?.campaign || t("Table");
    scene.textContent = [now?.date, now?.scene].filter(Boolean).join(" · ");
    beside.update();
  }

  draw();
  status();
  return { event: draw, status, begin };
}

// signature changes when what is shown of a turn does.
const signature = (i) => [i.heard, i.npc, i.route, i.tier, i.said.length, i.calls.length, i.calls.filter((c) => c.ms !== undefined).length, i.outcome, i.unsaid, i.erased, i.guarded.length, i.steps.length].join("|");

function turn(el, i) {
  el.className = `turn${i.unsaid ? " unsaid" : ""}${i.whisper ? " whisper" : ""}`;
  replace(el,
    i.heard && h("div", { class: "line" }, h("div", { class: "who soft" }, i.speaker), h("div", { class: "said player" }, i.heard)),
    (i.said.length > 0 || i.npc && !i.outcome) && h("div", { class: `line ${colour(i.npc)}` }, h("div", { class: "who" }, i.npc),
      h("div", { class: "said" }, i.said.length === 0 ? h("span", { class: "live-now", "aria-label": t("thinks") }, "…") : i.said.map((x, n) => [n > 0 && " ", x.how ? h("span", { class: x.how }, x.text) : x.text]))),
    i.erased && h("div", { class: "aside" }, t("taken back and forgotten")),
    h("div", { class: "why" }, why(i)));
}

function why(i) {
  const out = [];
  if (i.npc && i.route) out.push(h("span", {}, `${i.npc}: ${t(`route ${i.route}`)}`));
  if (i.ledger?.judge) out.push(h("span", {}, t(`judge ${i.ledger.judge}`)));
  if (i.outcome === "no_target") out.push(h("span", {}, t("for no NPC")));
  else if (i.outcome && i.outcome !== "delivered") out.push(h("span", { class: i.outcome === "failed" ? "breach" : "careful" }, t(`outcome ${i.outcome}`)));
  if (i.tier) out.push(h("span", { class: `chip ${i.tier}`, title: t("at most {tier}", { tier: i.ceiling }) }, `${i.tier}`), h("span", {}, t(i.reason)));
  for (const c of i.calls) out.push(h("span", { class: `calls${c.ok === false ? " breach" : ""}` }, `${c.tool} ${c.ms === undefined ? "…" : ms(c.ms)}`));
  for (const g of i.guarded) out.push(h("span", { class: "careful" }, t("stopped: {what}", { what: t(`guard ${g}`) })));
  for (const p of i.steps) out.push(h("span", { class: "careful" }, t(`step ${p.step}`)));
  if (i.ledger && i.npc && i.ledger.first_sound_ms > 0) {
    out.push(h("a", { href: `#/turns/${i.key}`, class: i.ledger.budget === "breached" ? "breach num" : "num" }, t("first sound {ms}", { ms: ms(i.ledger.first_sound_ms) })));
  }
  return out;
}

function note(i) {
  const text = i.missed ? t("{n} events are missing here, because this page was too slow", { n: i.missed })
    : i.tier ? t(`tier ${i.tier.change}`, { npc: i.tier.npc, tier: i.tier.tier, ceiling: i.tier.ceiling })
    : i.listening ? t(`listening ${i.listening}`)
    : i.cost ? t(`cost ${i.cost.level}`, { spent: `${i.cost.spent} ${i.cost.currency}` })
    : i.begins ? t("a new session starts")
    : i.spoken ? t("{who} gave a spoken order: {text}", { who: i.spoken.speaker, text: i.spoken.text })
    : i.text;
  return h("div", { class: `aside ${i.level}` }, h("span", { class: "hidden-text" }, `${clock(i.at)} `), text);
}

// speakBox lets who leads the game say something as a player.
function speakBox(app) {
  if (!may("session.control")) return h("div", {});
  const name = h("input", { class: "name", value: localStorage.getItem("speaker") ?? t("Player"), "aria-label": t("Speaker"), maxlength: "60" });
  const text = h("input", { class: "grow", "aria-label": t("What the speaker says"), placeholder: t("Say something at the table"), maxlength: "2000", autocomplete: "off" });
  const form = h("form", { class: "speak" }, h("div", { class: "row" }, name, text, h("button", { class: "main" }, t("Say"))));
  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    if (text.value.trim() === "") return;
    localStorage.setItem("speaker", name.value);
    const said = text.value;
    text.value = "";
    try {
      await order("hear", { speaker: name.value, text: said });
    } catch (error) {
      text.value = said;
      toast(error.message, true);
    }
  });
  return form;
}
