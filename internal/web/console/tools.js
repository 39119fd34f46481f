// Every tool on an axis of latency with the tiers as bands, and why each is hidden from whom.
import { h, s, scrolls, replace, empty, pressable, ms, toast } from "./dom.js";
import { t } from "./words.js";
import { get, order, may, seesAll } from "./api.js";
import { history } from "./turns.js";

const rowHeight = 22;
const left = 170;
const width = 900;
const least = 0.01;
const most = 30000;

export function tools(root, app) {
  const nothing = h("div", {});
  const detail = h("section", { class: "panel", "aria-live": "polite" });
  const search = h("input", { type: "search", placeholder: t("Find a tool"), "aria-label": t("Find a tool") });
  let got = null;
  let chosen = "";
  let told = ""; // what the detail beside tells
  let timer = 0;
  const chart = plot((name) => { chosen = name === chosen ? "" : name; draw(); });
  replace(root, h("div", { class: "head" }, h("h1", {}, t("Tools")), h("p", { class: "soft" }, t("Typical measured time, with a line up to the slowest 1 %; hollow where only declared.")), h("div", { class: "right" }, search)),
    h("div", { class: "split" }, h("div", { class: "panel" }, nothing, chart.el), h("div", { class: "beside" }, detail)));
  search.addEventListener("input", draw);

  async function load() {
    try {
      got = await get("tools");
      draw();
    } catch (error) {
      toast(error.message, true);
    }
    timer = setTimeout(load, 10000);
  }

  function draw() {
    if (!got) return;
    const list = got.tools.filter((x) => x.name.includes(search.value.trim().toLowerCase()));
    chart.el.hidden = list.length === 0;
    replace(nothing, list.length === 0 && empty(t("No tools"), t("There is no tool with that name that you may see.")));
    chart.draw(list, got.ceilings, chosen);
    const one = got.tools.find((x) => x.name === chosen);
    const durations = app.story.durations.get(chosen) ?? [];
    const now = JSON.stringify(one ? [one, durations] : [got.tools.length, got.servers, got.held]);
    if (now === told) return;
    told = now;
    replace(detail, one ? about(one, durations) : summary(got, load));
  }
  load();
  // The durations of the one that is chosen change with its calls, more often than the list is fetched.
  return { event: (all) => chosen && all.some((e) => e.kind === "tool.finished" && e.tool === chosen) && draw(), close: () => clearTimeout(timer) };
}

const x = (v) => left + (Math.log10(Math.min(Math.max(v, least), most)) - Math.log10(least)) / (Math.log10(most) - Math.log10(least)) * (width - left - 20);

// plot draws a row for each tool, anew only where something of it has changed.
function plot(pick) {
  const made = new Map();
  const ground = s("g", {});
  const rows = s("g", {});
  const svg = s("svg", { class: "falls", role: "group", "aria-label": t("Tools by speed") }, ground, rows);
  let drawn = "";

  function draw(list, ceilings, chosen) {
    const names = new Set(list.map((one) => one.name));
    for (const [name, one] of made) {
      if (!names.has(name)) {
        one.g.remove();
        made.delete(name);
      }
    }
    list.forEach((one, n) => {
      const now = JSON.stringify(one);
      const old = made.get(one.name);
      if (old?.now !== now) {
        const focused = old?.g.contains(document.activeElement);
        const next = { now, ...row(one, pick) };
        if (old) old.g.replaceWith(next.g);
        made.set(one.name, next);
        if (focused) next.hit.focus();
      }
      const { g, hit } = made.get(one.name);
      if (rows.children[n] !== g) rows.insertBefore(g, rows.children[n] ?? null);
      g.setAttribute("transform", `translate(0 ${26 + n * rowHeight})`);
      g.classList.toggle("chosen", one.name === chosen);
      hit.setAttribute("aria-pressed", String(one.name === chosen));
    });
    const height = list.length * rowHeight + 42;
    const frame = `${height} ${ceilings.fast} ${ceilings.standard}`;
    if (frame === drawn) return;
    drawn = frame;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const bands = [["fast", least, ceilings.fast], ["standard", ceilings.fast, ceilings.standard], ["deep", ceilings.standard, most]];
    replace(ground, bands.map(([name, from, to]) => [s("rect", { class: `band-${name}`, x: x(from), y: 18, width: x(to) - x(from), height: height - 18 }), s("text", { x: (x(from) + x(to)) / 2, y: 12, "text-anchor": "middle" }, name)]),
      [0.01, 0.1, 1, 10, 100, 1000, 10000].map((v) => [s("line", { class: "axis", x1: x(v), x2: x(v), y1: 18, y2: height - 16 }), s("text", { x: x(v), y: height - 3, "text-anchor": "middle" }, ms(v))]));
  }
  return { el: scrolls(t("Tools by speed"), svg), draw };
}

function row(one, pick) {
  const measured = one.p99_ms > 0; // a median may be too short to count
  const took = measured ? one.p50_ms : one.declared_p50_ms;
  const at = measured ? Math.max(took, least) : took;
  const odd = one.state !== "ready";
  const hit = pressable(s("rect", { class: "hit", x: 0, y: -3, width, height: rowHeight - 2, rx: 4, "aria-label": t("{name}: {tier}, {ms}, {state}", { name: one.name, tier: one.tier, ms: ms(took), state: one.pin === "approved" ? `${t(one.state)}, ${t("pinned")}` : t(one.state) }) }), () => pick(one.name));
  const g = s("g", { class: `tool-row t-${one.tier}` }, hit,
    s("text", { class: "name", "aria-hidden": "true", x: 4, y: 11 }, one.name.length > 22 ? `${one.name.slice(0, 21)}…` : one.name),
    one.pin && s("path", { class: `pin ${one.pin}`, d: "M158 2h6v4l2 3h-10l2-3zM161 9v4" }),
    measured && s("line", { class: "tick", x1: x(at), x2: x(one.p99_ms), y1: 7, y2: 7, "stroke-opacity": 0.45 }),
    at > 0 && s("circle", { class: measured ? `dot-${one.tier}` : "dot guess", cx: x(at), cy: 7, r: 5 }),
    s("text", { "aria-hidden": "true", x: width - 4, y: 11, "text-anchor": "end" }, odd ? t(one.state) : one.hidden ? t("{n} of {all}", { n: one.shown?.length ?? 0, all: (one.shown?.length ?? 0) + one.hidden.length }) : ""));
  return { g, hit };
}

// lately is how long a tool's calls took in the session, as far as this page has seen it.
function lately(durations) {
  if (durations.length < 2) return null;
  const parts = history(durations, 24);
  const high = Math.max(...parts.map((p) => p.p99), 0.01);
  const step = 240 / Math.max(1, parts.length - 1);
  const path = (of) => `M${(parts.length > 1 ? parts : [parts[0], parts[0]]).map((p, i) => `${i * step} ${44 - of(p) / high * 40}`).join("L")}`;
  const [first, last] = [parts[0], parts.at(-1)];
  return [h("h2", {}, t("In this session")),
    s("svg", { class: "spark", viewBox: "0 0 240 48", preserveAspectRatio: "none", role: "img", "aria-label": t("P50 from {a} to {b}, P99 from {c} to {d}", { a: ms(first.p50), b: ms(last.p50), c: ms(first.p99), d: ms(last.p99) }) }, s("path", { class: "tail", d: path((p) => p.p99) }), s("path", { d: path((p) => p.p50) })),
    h("p", { class: "small soft num" }, t("{n} calls; last P50 / P99 {a} / {b}, at most {c}", { n: durations.length, a: ms(last.p50), b: ms(last.p99), c: ms(Math.max(...durations)) }))];
}

function about(one, durations) {
  const reason = (w) => ({ list: t("not on its list"), tier: t("slower than its limit {tier}", { tier: w.detail }), state: t("not ready: {state}", { state: t(w.detail ?? "") }), rule: t("a rule forbids it") })[w.why];
  return [h("div", { class: "card-head" }, h("h3", { class: "mono" }, one.name), h("span", { class: `chip ${one.tier}` }, one.tier)),
    h("dl", { class: "facts" }, [
      [t("from"), one.source], one.pin && [t("definition"), one.pin === "held" ? t("pinned; another version is waiting for approval") : t("pinned, and approved as it is")], [t("state"), t(one.state)], [t("why this tier"), one.tier_reason], [t("floor"), one.floor],
      ["P50 / P99", one.samples > 0 ? `${ms(one.p50_ms)} / ${ms(one.p99_ms)}` : t("not measured")], [t("declared"), one.declared_p50_ms > 0 ? ms(one.declared_p50_ms) : "–"],
      [t("errors"), t("{rate} % of {n}", { rate: Math.round(one.error_rate * 100), n: one.samples })], [t("changes something"), one.read_only ? t("no") : t("yes")],
      one.probe && [t("not measured because"), one.probe], one.original_name && [t("called there"), `${one.original_name}: ${one.name_reason}`],
    ].filter(Boolean).map(([k, v]) => [h("dt", {}, k), h("dd", { class: "num" }, v)])),
    lately(durations),
    one.shown && h("p", {}, h("strong", {}, t("Shown to: ")), one.shown.join(", ")),
    one.hidden && one.hidden.length > 0 && [h("h2", {}, t("Hidden from")), h("table", {}, h("tbody", {}, one.hidden.map((w) => h("tr", {}, h("td", {}, w.npc), h("td", { class: "soft" }, reason(w))))))]];
}

function summary(got, load) {
  const held = got.held ?? [];
  const approve = async (w) => {
    try {
      await order("approve_tool", { text: `${w.Server}/${w.Name}@${w.Hash}` });
      load();
    } catch (error) {
      toast(error.message, true);
    }
  };
  return [h("h3", {}, t("{n} tools", { n: got.tools.length })), h("p", { class: "soft small" }, seesAll() ? t("Choose one to see which NPCs cannot use it. The number at the end says how many can.") : t("Choose one to see more.")),
    got.servers?.length > 0 && [h("h2", {}, t("Servers")), h("table", {}, h("tbody", {}, got.servers.map((x) => h("tr", {}, h("td", {}, x.name, x.pinned && [" ", h("span", { class: "chip" }, t("pinned"))]), h("td", { class: x.state === "ready" ? "kept" : "careful" }, t(x.state), x.reason && `: ${x.reason}`), h("td", { class: "r num" }, x.tools)))))],
    held.length > 0 && [h("h2", {}, t("Waiting for approval")), held.map((w) => h("details", {}, h("summary", {}, `${w.Server}/${w.Name}: ${w.Why}`), w.Approved && [h("p", { class: "small soft" }, t("approved")), h("pre", { tabindex: "0" }, w.Approved)], h("p", { class: "small soft" }, t("offered")), h("pre", { tabindex: "0" }, w.Offered), may("session.control") && h("button", { type: "button", onclick: () => approve(w) }, t("Approve"))))]];
}
