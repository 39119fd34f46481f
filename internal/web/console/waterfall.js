// Where the time of the last turns went: a row each, and one or two of them in full.
import { h, s, scrolls, replace, empty, pressable, ms, clock, download, colour } from "./dom.js";
import { t } from "./words.js";
import { stages, trace } from "./turns.js";

const rowHeight = 26;
const left = 168;

export function turns(root, app, rest) {
  let chosen = rest.join("/"); // a turn by its key, or of the latest session by its number
  let other = "";
  let only = "";
  let shown = ""; // what the detail below tells of
  let list = []; // the turns in the chart
  const nothing = h("div", {});
  const detail = h("div", {});
  const who = h("select", { "aria-label": t("NPC") });
  who.addEventListener("change", () => { only = who.value; draw(); });
  const level = h("output", { class: "num small soft" });
  const chart = overview(pick, (zoom) => (level.textContent = `${zoom < 10 ? Math.round(zoom * 10) / 10 : Math.round(zoom)}×`));
  replace(root,
    h("div", { class: "head" }, h("h1", {}, t("Turns")), h("p", { class: "soft" }, t("From the end of the player's speech to the end of the answer. The dashed line shows when the first sound was due.")),
      h("div", { class: "right" }, who,
        h("button", { type: "button", "aria-label": t("Zoom out"), onclick: () => chart.zoom(0.5) }, "−"), level, h("button", { type: "button", "aria-label": t("Zoom in"), onclick: () => chart.zoom(2) }, "+"),
        h("button", { type: "button", onclick: () => download("glyphoxa-turns.json", trace(app.story.ended()), "application/json") }, t("Download for Perfetto")))),
    h("div", { class: "panel" }, nothing, chart.el, legend(), h("p", { class: "soft small" }, t("In the chart: + and − or Ctrl and the wheel zoom, ← and → or dragging move, 0 shows all; Shift and a click compare."))), detail);

  function pick(key, compare) {
    if (compare && chosen && key !== chosen) other = key;
    else {
      chosen = key;
      other = "";
    }
    draw();
  }

  function draw() {
    const all = app.story.ended();
    const named = [...new Set(all.map((i) => i.npc))].sort();
    if (named.join("\n") !== who.dataset.names) {
      who.dataset.names = named.join("\n");
      replace(who, h("option", { value: "" }, t("all NPCs")), named.map((n) => h("option", { value: n, selected: n === only }, n)));
    }
    list = all.filter((i) => !only || i.npc === only).slice(0, 40);
    chart.el.hidden = list.length === 0;
    replace(nothing, list.length === 0 && empty(t("No NPC has answered yet"), t("Every answered line gets a row here.")));
    if (list.length === 0) {
      shown = "";
      replace(detail);
      return;
    }
    const a = list.find((i) => i.key === chosen) ?? list.find((i) => String(i.turn) === chosen) ?? list[0];
    const b = list.find((i) => i.key === other);
    chosen = a.key;
    chart.draw(list, chosen, other);
    const now = `${a.key} ${a.ended} ${b?.key} ${b?.ended}`;
    if (now === shown) return; // who reads it, or chooses there, is not disturbed
    shown = now;
    replace(detail, h("div", { class: "half" }, full(a, b, pick, () => list), b ? comparison(a, b) : facts(a)));
  }
  draw();
  return { event: (all) => all.some((e) => e.kind === "turn.ended") && draw(), go: (r) => { if (r[0]) { chosen = r.join("/"); other = ""; } draw(); } };
}

const names = ["endpoint", "stt", "queue", "route", "context", "llm", "tool", "writing", "tts", "floor", "rest"];

function legend() {
  return h("ul", { class: "legend" }, names.map((n) => h("li", {}, h("i", { class: `bar-${n}` }), t(`stage ${n}`))));
}

// niceStep is the distance of marks on an axis.
function niceStep(range, marks) {
  const raw = range / marks;
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((f) => f * power).find((x) => x >= raw);
}

function axis(width, height, from, range) {
  const step = niceStep(range, Math.max(1, (width - left) / 90));
  const out = [];
  for (let v = Math.ceil(from / step) * step; v <= from + range; v += step) {
    const x = left + (v - from) / range * (width - left - 60);
    out.push(s("line", { class: "axis", x1: x, x2: x, y1: 16, y2: height }), s("text", { x, y: 11, "text-anchor": "middle" }, ms(v)));
  }
  return out;
}

// overview draws turns one below the other. A row is made once, with its bars in a picture
// of its own whose measure is ms: to zoom or to move is to look at another part of those.
function overview(pick, tellZoom) {
  const made = new Map(); // rows by their turn
  const marks = s("g", {});
  const rows = s("g", {});
  const svg = s("svg", { class: "falls fit", role: "group", "aria-label": t("Turns") }, marks, rows);
  const el = scrolls(t("Turns"), svg);
  const width = Math.max(360, Math.min(1400, innerWidth - (innerWidth > 740 ? 330 : 60)));
  const plot = width - left - 60;
  let all = 1; // ms that there are
  let range = 1; // and that are looked at
  let from = 0;
  let height = 0;
  let drawn = "";

  function row(i) {
    const bars = s("svg", { x: left, width: plot, height: rowHeight, preserveAspectRatio: "none" },
      stages(i).map((st) => s("rect", { class: `bar-${st.name}`, x: st.at, y: 5, width: st.length, height: rowHeight - 12 })),
      i.ledger.target_ms > 0 && s("line", { class: "budget", x1: i.ledger.target_ms, x2: i.ledger.target_ms, y1: 1, y2: rowHeight - 3 }));
    const hit = pressable(s("rect", { class: "hit", width, height: rowHeight - 2, rx: 4, "aria-label": t("turn {n}, {npc}: first sound {first}, {total} in total", { n: i.turn, npc: i.npc, first: ms(i.ledger.first_sound_ms), total: ms(i.ledger.total_ms) }) }), (e) => dragged || pick(i.key, e.shiftKey));
    const g = s("g", { class: `fall ${colour(i.npc)}` }, hit, s("text", { class: "name", "aria-hidden": "true", x: 6, y: 16 }, `${i.turn}  ${cut(i.npc, 19)}`), bars,
      s("text", { class: i.ledger.budget === "breached" ? "strong" : "", "aria-hidden": "true", x: width - 4, y: 16, "text-anchor": "end" }, ms(i.ledger.first_sound_ms)));
    return { g, hit, bars };
  }

  function draw(list, chosen, other) {
    for (const [i, one] of made) {
      if (!list.includes(i)) {
        one.g.remove();
        made.delete(i);
      }
    }
    list.forEach((i, n) => {
      if (!made.has(i)) {
        made.set(i, row(i));
        look(made.get(i));
      }
      const one = made.get(i);
      one.g.setAttribute("transform", `translate(0 ${20 + n * rowHeight})`);
      one.g.classList.toggle("chosen", i.key === chosen || i.key === other);
      one.hit.setAttribute("aria-pressed", String(i.key === chosen));
      if (rows.children[n] !== one.g) rows.insertBefore(one.g, rows.children[n] ?? null);
    });
    height = list.length * rowHeight + 20;
    const most = Math.max(...list.map((i) => Math.max(i.ledger.total_ms, Math.min(i.ledger.target_ms, i.ledger.total_ms * 4))), 1);
    const whole = Math.ceil(most / niceStep(most, 8)) * niceStep(most, 8); // so that it rarely changes
    if (range === all) range = whole;
    all = whole;
    see(from, range);
  }

  const look = (one) => one.bars.setAttribute("viewBox", `${from} 0 ${range} ${rowHeight}`);

  // see looks at a part, as far as there is something.
  function see(at, length) {
    range = Math.min(all, Math.max(all / 64, length));
    from = Math.min(Math.max(0, at), all - range);
    const now = `${from} ${range} ${height}`;
    if (now === drawn) return;
    drawn = now;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    replace(marks, axis(width, height, from, range));
    for (const one of made.values()) look(one);
    tellZoom(all / range);
  }

  // zoom keeps what is at a share of the width where it is.
  const zoom = (by, share = 0) => see(from + range * share * (1 - 1 / by), range / by);
  const shareAt = (e) => {
    const box = svg.getBoundingClientRect();
    return Math.min(1, Math.max(0, ((e.clientX - box.left) / box.width * width - left) / plot));
  };
  let dragged = false; // a click at the end of it picks nothing
  el.addEventListener("keydown", (e) => {
    const act = { "+": () => zoom(2, 0.5), "=": () => zoom(2, 0.5), "-": () => zoom(0.5, 0.5), 0: () => see(0, all), ArrowLeft: () => see(from - range / 8, range), ArrowRight: () => see(from + range / 8, range) }[e.key];
    if (!act || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    act();
  });
  el.addEventListener("wheel", (e) => {
    if (!e.ctrlKey && Math.abs(e.deltaX) <= Math.abs(e.deltaY)) return;
    e.preventDefault();
    if (e.ctrlKey) zoom(2 ** (-e.deltaY / 200), shareAt(e));
    else see(from + e.deltaX / plot * range, range);
  }, { passive: false });
  el.addEventListener("pointerdown", (e) => {
    dragged = false;
    if (e.button !== 0) return;
    const [x, at, per] = [e.clientX, from, range / (svg.getBoundingClientRect().width * plot / width)];
    const end = new AbortController();
    const move = (m) => {
      dragged ||= Math.abs(m.clientX - x) > 4;
      if (dragged) see(at - (m.clientX - x) * per, range);
    };
    addEventListener("pointermove", move, { signal: end.signal });
    for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, () => { end.abort(); setTimeout(() => (dragged = false)); }, { signal: end.signal });
  });
  return { el, draw, zoom };
}

const cut = (text, most) => text && text.length > most ? `${text.slice(0, most - 1)}…` : text ?? "";

// full is one turn, each stage a row of its own, with its calls where they were made.
function full(a, b, pick, list) {
  const width = 560;
  const parts = stages(a);
  const most = Math.max(a.ledger.total_ms, b?.ledger.total_ms ?? 0, 1);
  const zero = Date.parse(a.ended) - a.ledger.total_ms;
  const rows = [...parts.map((st) => ({ label: t(`stage ${st.name}`), kind: st.name, at: st.at, length: st.length })),
    ...a.calls.filter((c) => c.ms !== undefined).map((c) => ({ label: c.tool, kind: "tool", at: Math.max(0, Date.parse(c.at) - zero), length: c.ms }))];
  const x = (v) => left + Math.min(v / most, 1) * (width - left - 60);
  const height = rows.length * 22 + 20;
  const options = () => [h("option", { value: "" }, t("compare with …")), list().filter((i) => i.key !== a.key).map((i) => h("option", { value: i.key, selected: i.key === b?.key }, `${i.turn} ${i.npc}`))];
  const compare = h("select", { "aria-label": t("Compare with"), onfocus: () => replace(compare, options()), onchange: (e) => e.target.value && pick(e.target.value, true) }, options());
  return h("section", { class: "panel" }, h("div", { class: "head" }, h("h3", {}, t("Turn {n}: {npc}", { n: a.turn, npc: a.npc })), h("div", { class: "right" }, compare)),
    h("p", { class: "said player" }, a.heard ? `${a.speaker}: ${a.heard}` : ""),
    scrolls(t("Stages of turn {n}", { n: a.turn }), s("svg", { class: "falls", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": t("Stages of turn {n}", { n: a.turn }) }, axis(width, height, 0, most),
      a.ledger.target_ms > 0 && a.ledger.target_ms <= most && s("line", { class: "budget", x1: x(a.ledger.target_ms), x2: x(a.ledger.target_ms), y1: 16, y2: height }),
      rows.map((r, n) => [s("text", { class: "name", x: 0, y: 35 + n * 22 }, cut(r.label, 25)), s("rect", { class: `bar-${r.kind}`, x: x(r.at), y: 24 + n * 22, width: Math.max(x(r.at + r.length) - x(r.at), 1.5), height: 14, rx: 2 }), s("text", { x: Math.min(x(r.at + r.length) + 5, width - 48), y: 35 + n * 22 }, ms(r.length))]))));
}

function facts(a) {
  const l = a.ledger;
  const rows = [
    [t("said at"), clock(a.at)], [t("why"), [t(`route ${a.route}`), a.reason && `; ${t(a.reason)}`]], [t("Tier"), [h("span", { class: `chip ${a.tier}` }, a.tier), ` ${t("at most {tier}", { tier: a.ceiling })}`]],
    [t("deadline"), h("span", { class: l.budget === "breached" ? "breach" : "kept" }, l.budget === "breached" ? t("missed because of {stage}", { stage: t(`stage ${l.breach_stage}`) }) : t("met")), l.target_ms],
    [t("first sound"), `${ms(l.first_sound_ms)} / ${ms(l.target_ms)}`], [t("first of the answer"), ms(l.first_substance_ms)], [t("in total"), ms(l.total_ms)],
    [t("outcome"), t(`outcome ${a.outcome}`)], [t("tool rounds"), l.tool_rounds], [t("tokens"), `${l.input_tokens} → ${l.output_tokens}`],
    l.cost !== undefined && [t("cost"), l.cost], l.dropped_guesses > 0 && [t("guesses dropped"), l.dropped_guesses],
    l.judge && [t("judge"), [t(`judge ${l.judge}`), l.judge_intent, ms(l.judge_ms ?? 0), t("{n} calls", { n: l.judge_calls ?? 0 }), l.judge_cost].filter(Boolean).join(", ")],
    a.guarded.length > 0 && [t("withheld"), a.guarded.map((g) => t(`guard ${g}`)).join(", ")],
    a.steps.length > 0 && [t("Governor"), a.steps.map((p) => `${t(`step ${p.step}`)} (${ms(p.projected_ms)} / ${ms(p.target_ms)})`).join(", ")],
    a.tools?.length > 0 && [t("tools it could use"), h("span", { class: "mono" }, a.tools.join(", "))],
  ].filter(Boolean);
  return h("section", { class: "panel" }, h("dl", { class: "facts" }, rows.map(([name, ...value]) => [h("dt", {}, name), h("dd", { class: "num" }, value[0])])),
    a.calls.length > 0 && [h("h2", {}, t("Calls")), a.calls.map((c) => h("details", {}, h("summary", { class: "mono" }, `${c.tool} · ${ms(c.ms)}${c.cached ? " · cache" : ""}`, c.ok === false && h("span", { class: "breach" }, ` ${t("failed")}`)), h("pre", { tabindex: "0" }, JSON.stringify(c.args, null, 1), c.error ? `\n${c.error}` : "")))]);
}

function comparison(a, b) {
  const of = (turn) => Object.fromEntries(stages(turn).map((st) => [st.name, st.length]));
  const [x, y] = [of(a), of(b)];
  const rows = [...names.map((n) => [t(`stage ${n}`), x[n] ?? 0, y[n] ?? 0]), [t("first sound"), a.ledger.first_sound_ms, b.ledger.first_sound_ms], [t("in total"), a.ledger.total_ms, b.ledger.total_ms]];
  return h("section", { class: "panel" }, h("h3", {}, t("Turn {a} beside turn {b}", { a: a.turn, b: b.turn })),
    h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, t("Stage")), h("th", { class: "r" }, a.turn), h("th", { class: "r" }, b.turn), h("th", { class: "r" }, t("difference")))),
      h("tbody", {}, rows.filter((r) => r[1] > 0 || r[2] > 0).map(([name, p, q]) => h("tr", {}, h("td", {}, name), h("td", { class: "r num" }, ms(p)), h("td", { class: "r num" }, ms(q)), h("td", { class: `r num ${q - p > 1 ? "breach" : p - q > 1 ? "kept" : ""}` }, `${q >= p ? "+" : "−"}${ms(Math.abs(q - p))}`))))));
}
