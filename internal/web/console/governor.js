// What was done so that answers come in time, what was withheld, how players are heard, and
// what the session costs.
import { h, s, scrolls, replace, empty, ms, clock, toast } from "./dom.js";
import { t } from "./words.js";
import { order, may, isLive } from "./api.js";

export function governor(root, app) {
  const stagesBox = h("div", {});
  const decisions = h("div", {});
  const guards = h("div", {});
  const ears = h("div", {});
  const cost = h("div", {});
  const listening = h("div", { class: "row" });
  const panel = (title, body) => h("section", { class: "panel" }, h("h2", {}, title), body);
  replace(root, h("div", { class: "head" }, h("h1", {}, t("Governor")), h("div", { class: "right" }, listening)),
    panel(t("How long each stage takes lately"), stagesBox), h("div", { class: "half" }, panel(t("Decisions"), decisions), panel(t("Stopped"), guards), panel(t("Hearing"), ears), panel(t("Cost"), cost)));

  function drawEvents() {
    const turns = app.story.items.filter((i) => i.kind === "turn");
    const steps = turns.flatMap((i) => i.steps.map((p) => ({ ...p, turn: i.turn, key: i.key }))).reverse().slice(0, 30);
    replace(decisions, steps.length === 0 ? empty(t("No answer was late"), t("What NPCs do so that an answer is not late appears here.")) : h("ul", { class: "list small" }, steps.map((p) => h("li", {}, h("a", { href: `#/turns/${p.key}` }, t("Turn {n}: {npc}", { n: p.turn, npc: p.npc })), " ", h("strong", {}, t(`step ${p.step}`)), h("div", { class: "soft num" }, t("expected {a}, due {b}", { a: ms(p.projected_ms), b: ms(p.target_ms) }), p.reason && ` · ${p.reason}`)))));
    const kept = turns.flatMap((i) => i.guarded.map((g) => ({ g, i }))).reverse().slice(0, 30);
    replace(guards, kept.length === 0 ? empty(t("Nothing was stopped"), t("When an NPC is stopped from saying something, it is counted here, without the words.")) : h("ul", { class: "list small" }, kept.map(({ g, i }) => h("li", {}, h("a", { href: `#/turns/${i.key}` }, t("Turn {n}: {npc}", { n: i.turn, npc: i.npc })), " ", h("strong", {}, t(`guard ${g}`)), h("div", { class: "soft" }, clock(i.at))))));
  }

  function status() {
    const now = app.status;
    if (!now) return;
    replace(stagesBox, now.stages.length === 0 ? empty(t("No turns yet"), t("Typical and slow times appear with the first answers.")) : now.stages.map((x) => bars(x, now.targets[x.tier])));
    replace(ears, now.ears.length === 0 ? empty(t("Nobody is heard"), t("Players who speak through a microphone or a voice channel appear here.")) : now.ears.map((e) => h("div", {}, h("strong", {}, e.speaker), e.voicing && h("span", { class: "chip good" }, t("speaks")), h("dl", { class: "facts" }, e.counts.filter((c) => c.n > 0 || c.name === "packets").map((c) => [h("dt", {}, t(`ear ${c.name}`)), h("dd", { class: "num" }, c.n)])))));
    replace(cost, now.cost ? [h("p", { class: "num" }, h("strong", {}, `${now.cost.total} ${now.cost.currency}`), now.cost.soft_cap > 0 && ` · ${t("first limit {x}", { x: now.cost.soft_cap })}`, now.cost.hard_cap > 0 && ` · ${t("limit {x}", { x: now.cost.hard_cap })}`), h("ul", { class: "list small" }, now.cost.lines.map((l) => h("li", {}, l)))] : empty(t("No session"), ""));
    const choose = h("select", { "aria-label": t("How the NPCs listen"), disabled: !may("session.control") || !isLive() }, ["eager", "attentive", "called_only"].map((x) => h("option", { value: x, selected: x === now.listening }, t(`hears ${x}`))));
    choose.addEventListener("change", async () => {
      try {
        await order("listening", { text: choose.value });
      } catch (error) {
        toast(error.message, true);
      }
    });
    replace(listening, h("span", { class: "soft small" }, t("NPCs listen")), choose);
  }
  drawEvents();
  status();
  app.refresh();
  const timer = setInterval(app.refresh, 5000);
  return { event: drawEvents, status, close: () => clearInterval(timer) };
}

// bars are the stages of one tier: median filled, the 95th percentile behind it.
function bars(tier, target) {
  const rows = [{ stage: "first sound", p50_ms: tier.p50_ms, p95_ms: tier.p95_ms, main: true }, ...(tier.stages ?? [])];
  const most = Math.max(...rows.map((r) => r.p95_ms), 1);
  const near = target > 0 && target < most * 3;
  const width = 760;
  const left = 150;
  const x = (v) => left + v / Math.max(most, near ? target : 0) * (width - left - 130);
  const height = rows.length * 22 + 6;
  return h("div", {}, h("p", { class: "small" }, h("span", { class: `chip ${tier.tier}` }, tier.tier), " ", h("span", { class: "soft" }, t("{n} turns; first sound due within {ms}", { n: tier.turns, ms: ms(target) }))),
    scrolls(t("Stages at {tier}", { tier: tier.tier }), s("svg", { class: "falls bars", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": t("Stages at {tier}", { tier: tier.tier }) },
      near && s("line", { class: "budget", x1: x(target), x2: x(target), y1: 0, y2: height }),
      rows.map((r, n) => [s("text", { class: r.main ? "strong" : "name", x: 0, y: 15 + n * 22 }, r.main ? t("first sound") : t(`measured ${r.stage}`)),
        s("rect", { class: "bar-rest", x: left, y: 4 + n * 22, width: Math.max(x(r.p95_ms) - left, 1), height: 14, rx: 2 }), s("rect", { class: r.main ? `dot-${tier.tier}` : "bar-llm", x: left, y: 4 + n * 22, width: Math.max(x(r.p50_ms) - left, 1), height: 14, rx: 2 }),
        s("text", { x: x(r.p95_ms) + 6, y: 15 + n * 22 }, `${ms(r.p50_ms)} / ${ms(r.p95_ms)}`)]))));
}
