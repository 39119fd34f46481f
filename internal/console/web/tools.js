// Every tool on an axis of latency with the tiers as bands, and why each is hidden from whom.
import { h, s, scrolls, replace, empty, pressable, ms, toast } from "./dom.js";
import { t } from "./words.js";
import { get, order, may, seesAll } from "./api.js";

const rowHeight = 22;
const left = 170;
const width = 900;
const least = 0.01;
const most = 30000;

export function tools(root) {
  const chart = h("div", {});
  const detail = h("section", { class: "panel", "aria-live": "polite" });
  const search = h("input", { type: "search", placeholder: t("Find a tool"), "aria-label": t("Find a tool") });
  let got = null;
  let chosen = "";
  let timer = 0;
  replace(root, h("div", { class: "head" }, h("h1", {}, t("Tools")), h("p", { class: "soft" }, t("Measured median, with a line to the 99th percentile; hollow where only declared.")), h("div", { class: "right" }, search)),
    h("div", { class: "split" }, h("div", { class: "panel" }, chart), h("div", {}, detail)));
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
    replace(chart, list.length === 0 ? empty(t("No tools"), t("Nothing of that name is there, or yours to see.")) : plot(list, got.ceilings, chosen, (name) => { chosen = name; draw(); }));
    const one = got.tools.find((x) => x.name === chosen);
    replace(detail, one ? about(one) : overview(got, load));
  }
  load();
  return { close: () => clearTimeout(timer) };
}

const x = (v) => left + (Math.log10(Math.min(Math.max(v, least), most)) - Math.log10(least)) / (Math.log10(most) - Math.log10(least)) * (width - left - 20);

function plot(list, ceilings, chosen, pick) {
  const height = list.length * rowHeight + 42;
  const bands = [["fast", least, ceilings.fast], ["standard", ceilings.fast, ceilings.standard], ["deep", ceilings.standard, most]];
  return scrolls(t("Tools by latency"), s("svg", { class: "falls", viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": t("Tools by latency") },
    bands.map(([name, from, to]) => [s("rect", { class: `band-${name}`, x: x(from), y: 18, width: x(to) - x(from), height: height - 18 }), s("text", { x: (x(from) + x(to)) / 2, y: 12, "text-anchor": "middle" }, name)]),
    [0.01, 0.1, 1, 10, 100, 1000, 10000].map((v) => [s("line", { class: "axis", x1: x(v), x2: x(v), y1: 18, y2: height - 16 }), s("text", { x: x(v), y: height - 3, "text-anchor": "middle" }, ms(v))]),
    list.map((one, n) => {
      const y = 26 + n * rowHeight;
      const at = one.p50_ms || one.declared_p50_ms;
      const odd = one.state !== "ready";
      return s("g", { class: `tool-row t-${one.tier}${one.name === chosen ? " chosen" : ""}` },
        pressable(s("rect", { class: "hit", x: 0, y: y - 3, width, height: rowHeight - 2, rx: 4, "aria-pressed": String(one.name === chosen), "aria-label": t("{name}: {tier}, {ms}, {state}", { name: one.name, tier: one.tier, ms: ms(at), state: t(one.state) }) }), () => pick(one.name === chosen ? "" : one.name)),
        s("text", { class: "name", "aria-hidden": "true", x: 4, y: y + 11 }, one.name.length > 22 ? `${one.name.slice(0, 21)}…` : one.name),
        one.p99_ms > 0 && s("line", { class: "tick", x1: x(at), x2: x(one.p99_ms), y1: y + 7, y2: y + 7, "stroke-opacity": 0.45 }),
        at > 0 && s("circle", { class: one.p50_ms > 0 ? `dot-${one.tier}` : "dot guess", cx: x(at), cy: y + 7, r: 5 }),
        s("text", { "aria-hidden": "true", x: width - 4, y: y + 11, "text-anchor": "end" }, odd ? t(one.state) : one.hidden ? t("{n} of {all}", { n: one.shown?.length ?? 0, all: (one.shown?.length ?? 0) + one.hidden.length }) : ""));
    })));
}

function about(one) {
  const reason = (w) => ({ list: t("not on its list"), tier: t("slower than its ceiling {tier}", { tier: w.detail }), state: t("not ready: {state}", { state: t(w.detail ?? "") }), rule: t("a rule denies it") })[w.why];
  return [h("div", { class: "card-head" }, h("h3", { class: "mono" }, one.name), h("span", { class: `chip ${one.tier}` }, one.tier)),
    h("dl", { class: "facts" }, [
      [t("from"), one.source], [t("state"), t(one.state)], [t("why this tier"), one.tier_reason], [t("floor"), one.floor],
      ["P50 / P99", one.samples > 0 ? `${ms(one.p50_ms)} / ${ms(one.p99_ms)}` : t("not measured")], [t("declared"), one.declared_p50_ms > 0 ? ms(one.declared_p50_ms) : "–"],
      [t("errors"), t("{rate} % of {n}", { rate: Math.round(one.error_rate * 100), n: one.samples })], [t("changes something"), one.read_only ? t("no") : t("yes")],
      one.probe && [t("not measured since"), one.probe], one.original_name && [t("named there"), `${one.original_name}: ${one.name_reason}`],
    ].filter(Boolean).map(([k, v]) => [h("dt", {}, k), h("dd", { class: "num" }, v)])),
    one.shown && h("p", {}, h("strong", {}, t("Shown to: ")), one.shown.join(", ")),
    one.hidden && one.hidden.length > 0 && [h("h2", {}, t("Hidden from")), h("table", {}, h("tbody", {}, one.hidden.map((w) => h("tr", {}, h("td", {}, w.npc), h("td", { class: "soft" }, reason(w))))))]];
}

function overview(got, load) {
  const held = got.held ?? [];
  const approve = async (w) => {
    try {
      await order("approve_tool", { text: `${w.Server}/${w.Name}@${w.Hash}` });
      load();
    } catch (error) {
      toast(error.message, true);
    }
  };
  return [h("h3", {}, t("{n} tools", { n: got.tools.length })), h("p", { class: "soft small" }, seesAll() ? t("Choose one to see from whom it is hidden. The number at its end is how many NPCs are shown it now.") : t("Choose one to see more.")),
    got.servers?.length > 0 && [h("h2", {}, t("Servers")), h("table", {}, h("tbody", {}, got.servers.map((x) => h("tr", {}, h("td", {}, x.name), h("td", { class: x.state === "ready" ? "kept" : "careful" }, t(x.state), x.reason && `: ${x.reason}`), h("td", { class: "r num" }, x.tools)))))],
    held.length > 0 && [h("h2", {}, t("Pins: definitions that wait")), held.map((w) => h("details", {}, h("summary", {}, `${w.Server}/${w.Name}: ${w.Why}`), w.Approved && [h("p", { class: "small soft" }, t("approved")), h("pre", { tabindex: "0" }, w.Approved)], h("p", { class: "small soft" }, t("offered")), h("pre", { tabindex: "0" }, w.Offered), may("session.control") && h("button", { type: "button", onclick: () => approve(w) }, t("Approve"))))]];
}
