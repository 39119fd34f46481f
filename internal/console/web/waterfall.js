// Where the time of the last turns went: a row each, and one or two of them in full.
import { h, s, scrolls, replace, empty, pressable, ms, clock, download, colour } from "./dom.js";
import { t } from "./words.js";
import { stages, trace } from "./turns.js";

const rowHeight = 26;
const left = 168;

export function turns(root, app, rest) {
  let chosen = rest[0] ? Number(rest[0]) : 0;
  let other = 0;
  let zoom = 1;
  let only = "";
  const chart = h("div", {});
  const detail = h("div", {});
  const who = h("select", { "aria-label": t("NPC") });
  who.addEventListener("change", () => { only = who.value; draw(); });
  const level = h("output", { class: "num small soft" });
  const scale = (by) => { zoom = Math.min(64, Math.max(1, zoom * by)); draw(); };
  replace(root,
    h("div", { class: "head" }, h("h1", {}, t("Turns")), h("p", { class: "soft" }, t("From the end of the player's speech to the end of the answer. The dashed line is when the first sound was due.")),
      h("div", { class: "right" }, who,
        h("button", { type: "button", "aria-label": t("Zoom out"), onclick: () => scale(0.5) }, "−"), level, h("button", { type: "button", "aria-label": t("Zoom in"), onclick: () => scale(2) }, "+"),
        h("button", { type: "button", onclick: () => download("glyphoxa-turns.json", trace(app.story.ended()), "application/json") }, t("Download for Perfetto")))),
    h("div", { class: "panel" }, chart, legend()), detail);

  function pick(turn, compare) {
    if (compare && chosen && turn !== chosen) other = turn;
    else {
      chosen = turn;
      other = 0;
    }
    draw();
  }

  function draw() {
    const all = app.story.ended();
    const names = [...new Set(all.map((i) => i.npc))].sort();
    replace(who, h("option", { value: "" }, t("all NPCs")), names.map((n) => h("option", { value: n, selected: n === only }, n)));
    const list = all.filter((i) => !only || i.npc === only).slice(0, 40);
    level.textContent = `${zoom}×`;
    if (list.length === 0) {
      replace(chart, empty(t("No turn has ended yet"), t("Every answered line becomes a row here.")));
      replace(detail);
      return;
    }
    if (!list.some((i) => i.turn === chosen)) chosen = list[0].turn;
    replace(chart, overview(list, chosen, other, zoom, pick));
    const a = list.find((i) => i.turn === chosen);
    const b = list.find((i) => i.turn === other);
    replace(detail, h("div", { class: "half" }, full(a, b, pick, list), b ? comparison(a, b) : facts(a)));
  }
  draw();
  return { event: (all) => all.some((e) => e.kind === "turn.ended") && draw(), go: (r) => { if (r[0]) { chosen = Number(r[0]); other = 0; } draw(); } };
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

function axis(width, height, most) {
  const step = niceStep(most, Math.max(2, width / 110));
  const out = [];
  for (let v = 0; v <= most; v += step) {
    const x = left + v / most * (width - left - 60);
    out.push(s("line", { class: "axis", x1: x, x2: x, y1: 16, y2: height }), s("text", { x, y: 11, "text-anchor": "middle" }, ms(v)));
  }
  return out;
}

function overview(list, chosen, other, zoom, pick) {
  const width = Math.max(360, Math.min(1400, innerWidth - (innerWidth > 740 ? 330 : 60)));
  const most = Math.max(...list.map((i) => Math.max(i.ledger.total_ms, Math.min(i.ledger.target_ms, i.ledger.total_ms * 4))), 1) / zoom;
  const height = list.length * rowHeight + 20;
  const x = (v) => left + Math.min(v / most, 1) * (width - left - 60);
  const rows = list.map((i, n) => {
    const y = 20 + n * rowHeight;
    const g = s("g", { class: `fall${i.turn === chosen || i.turn === other ? " chosen" : ""} ${colour(i.npc)}` },
      pressable(s("rect", { class: "hit", x: 0, y, width, height: rowHeight - 2, rx: 4, "aria-label": t("turn {n}, {npc}: first sound {first}, in all {total}", { n: i.turn, npc: i.npc, first: ms(i.ledger.first_sound_ms), total: ms(i.ledger.total_ms) }), "aria-pressed": String(i.turn === chosen) }), (e) => pick(i.turn, e.shiftKey)),
      s("text", { class: "name", "aria-hidden": "true", x: 6, y: y + 16 }, `${i.turn}  ${cut(i.npc, 19)}`),
      stages(i).map((st) => x(st.at) < width - 60 && s("rect", { class: `bar-${st.name}`, x: x(st.at), y: y + 5, width: Math.max(x(st.at + st.length) - x(st.at), 0.8), height: rowHeight - 12, rx: 1.5 })),
      i.ledger.target_ms > 0 && i.ledger.target_ms <= most && s("line", { class: "budget", x1: x(i.ledger.target_ms), x2: x(i.ledger.target_ms), y1: y + 1, y2: y + rowHeight - 3 }),
      s("text", { class: i.ledger.budget === "breached" ? "strong" : "", "aria-hidden": "true", x: width - 4, y: y + 16, "text-anchor": "end" }, ms(i.ledger.first_sound_ms)));
    return g;
  });
  return scrolls(t("Turns"), s("svg", { class: "falls fit", viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": t("Turns") }, axis(width, height, most), rows));
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
  const compare = h("select", { "aria-label": t("Compare with"), onchange: (e) => e.target.value && pick(Number(e.target.value), true) },
    h("option", { value: "" }, t("compare with …")), list.filter((i) => i.turn !== a.turn).map((i) => h("option", { value: i.turn, selected: i.turn === b?.turn }, `${i.turn} ${i.npc}`)));
  return h("section", { class: "panel" }, h("div", { class: "head" }, h("h3", {}, t("Turn {n}: {npc}", { n: a.turn, npc: a.npc })), h("div", { class: "right" }, compare)),
    h("p", { class: "said player" }, a.heard ? `${a.speaker}: ${a.heard}` : ""),
    scrolls(t("Stages of turn {n}", { n: a.turn }), s("svg", { class: "falls", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": t("Stages of turn {n}", { n: a.turn }) }, axis(width, height, most),
      a.ledger.target_ms > 0 && a.ledger.target_ms <= most && s("line", { class: "budget", x1: x(a.ledger.target_ms), x2: x(a.ledger.target_ms), y1: 16, y2: height }),
      rows.map((r, n) => [s("text", { class: "name", x: 0, y: 35 + n * 22 }, cut(r.label, 25)), s("rect", { class: `bar-${r.kind}`, x: x(r.at), y: 24 + n * 22, width: Math.max(x(r.at + r.length) - x(r.at), 1.5), height: 14, rx: 2 }), s("text", { x: Math.min(x(r.at + r.length) + 5, width - 48), y: 35 + n * 22 }, ms(r.length))]))));
}

function facts(a) {
  const l = a.ledger;
  const rows = [
    [t("said at"), clock(a.at)], [t("why"), [t(`route ${a.route}`), a.reason && `; ${t(a.reason)}`]], [t("Tier"), [h("span", { class: `chip ${a.tier}` }, a.tier), ` ${t("ceiling {tier}", { tier: a.ceiling })}`]],
    [t("budget"), h("span", { class: l.budget === "breached" ? "breach" : "kept" }, l.budget === "breached" ? t("breached by {stage}", { stage: l.breach_stage }) : t("met")), l.target_ms],
    [t("first sound"), `${ms(l.first_sound_ms)} / ${ms(l.target_ms)}`], [t("first of the answer"), ms(l.first_substance_ms)], [t("in all"), ms(l.total_ms)],
    [t("outcome"), t(`outcome ${a.outcome}`)], [t("tool rounds"), l.tool_rounds], [t("tokens"), `${l.input_tokens} → ${l.output_tokens}`],
    l.cost !== undefined && [t("cost"), l.cost], l.dropped_guesses > 0 && [t("guesses dropped"), l.dropped_guesses],
    a.guarded.length > 0 && [t("withheld"), a.guarded.map((g) => t(`guard ${g}`)).join(", ")],
    a.steps.length > 0 && [t("Governor"), a.steps.map((p) => `${t(`step ${p.step}`)} (${ms(p.projected_ms)} / ${ms(p.target_ms)})`).join(", ")],
    a.tools?.length > 0 && [t("tools it was shown"), h("span", { class: "mono" }, a.tools.join(", "))],
  ].filter(Boolean);
  return h("section", { class: "panel" }, h("dl", { class: "facts" }, rows.map(([name, ...value]) => [h("dt", {}, name), h("dd", { class: "num" }, value[0])])),
    a.calls.length > 0 && [h("h2", {}, t("Calls")), a.calls.map((c) => h("details", {}, h("summary", { class: "mono" }, `${c.tool} · ${ms(c.ms)}${c.cached ? " · cache" : ""}`, c.ok === false && h("span", { class: "breach" }, ` ${t("failed")}`)), h("pre", { tabindex: "0" }, JSON.stringify(c.args, null, 1), c.error ? `\n${c.error}` : "")))]);
}

function comparison(a, b) {
  const of = (turn) => Object.fromEntries(stages(turn).map((st) => [st.name, st.length]));
  const [x, y] = [of(a), of(b)];
  const rows = [...names.map((n) => [t(`stage ${n}`), x[n] ?? 0, y[n] ?? 0]), [t("first sound"), a.ledger.first_sound_ms, b.ledger.first_sound_ms], [t("in all"), a.ledger.total_ms, b.ledger.total_ms]];
  return h("section", { class: "panel" }, h("h3", {}, t("Turn {a} beside turn {b}", { a: a.turn, b: b.turn })),
    h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, t("Stage")), h("th", { class: "r" }, a.turn), h("th", { class: "r" }, b.turn), h("th", { class: "r" }, t("difference")))),
      h("tbody", {}, rows.filter((r) => r[1] > 0 || r[2] > 0).map(([name, p, q]) => h("tr", {}, h("td", {}, name), h("td", { class: "r num" }, ms(p)), h("td", { class: "r num" }, ms(q)), h("td", { class: `r num ${q - p > 1 ? "breach" : p - q > 1 ? "kept" : ""}` }, `${q >= p ? "+" : "−"}${ms(Math.abs(q - p))}`))))));
}
