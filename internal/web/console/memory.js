// Everyone and everything in your world and how it hangs together, facts with where they are from, and what
// waits to be learnt.
import { h, s, scrolls, replace, empty, pressable, toast, colour, day } from "./dom.js";
import { t } from "./words.js";
import { get, post, may, seesAll } from "./api.js";

export function memory(root, app, rest) {
  const body = h("div", {});
  const parts = [["people", t("People and things"), people], may("memory.read") && ["facts", t("Facts"), facts], seesAll() && may("memory.read") && ["learn", t("Review"), review]].filter(Boolean);
  let at = rest[0] ?? "people";
  const tabs = h("div", { class: "row", role: "tablist", "aria-label": t("Memory") });
  replace(root, h("div", { class: "head" }, h("h1", {}, t("Memory")), h("div", { class: "right" }, tabs)), body);
  function show() {
    const part = parts.find((p) => p[0] === at) ?? parts[0];
    replace(tabs, parts.map(([id, name]) => h("button", { type: "button", role: "tab", "aria-selected": String(id === part[0]), onclick: () => app.go(`memory/${id}`) }, name)));
    replace(body);
    part[2](body, app);
  }
  show();
  return { go: (r) => { at = r[0] ?? "people"; show(); } };
}

async function people(root) {
  let world;
  try {
    world = await get("world");
  } catch (error) {
    replace(root, empty(t("The world is not shown"), error.message));
    return;
  }
  const { entities, relations } = world;
  if (!entities?.length) {
    replace(root, empty(t("The world is empty"), t("People, places and things of the campaign, and those that come up in play, appear here.")));
    return;
  }
  const types = [...new Set(entities.map((e) => e.type))].sort();
  const search = h("input", { type: "search", placeholder: t("Find by name"), "aria-label": t("Find by name") });
  const kind = h("select", { "aria-label": t("Kind") }, h("option", { value: "" }, t("everything")), types.map((x) => h("option", { value: x }, x)));
  const graph = scrolls(t("Relations"));
  const list = h("ul", { class: "list" });
  const detail = h("section", { class: "panel", "aria-live": "polite" });
  let chosen = "";
  const byID = new Map(entities.map((e) => [e.id, e]));
  const places = layout(entities, relations);
  const pick = (id) => { chosen = chosen === id ? "" : id; draw(); };

  function draw() {
    const found = entities.filter((e) => (!kind.value || e.type === kind.value) && [e.name, ...(e.aliases ?? [])].join(" ").toLowerCase().includes(search.value.trim().toLowerCase()));
    const keep = new Set(found.map((e) => e.id));
    replace(graph, drawGraph(entities.filter((e) => keep.has(e.id)), relations.filter((r) => keep.has(r.from) && keep.has(r.to)), places, chosen, pick));
    replace(list, found.map((e) => h("li", {}, h("button", { type: "button", class: "pick", "aria-current": e.id === chosen && "true", onclick: () => pick(e.id) }, e.name, " ", h("span", { class: "soft small" }, e.type)))));
    list.className = "list compact";
    const one = byID.get(chosen);
    replace(detail, one ? entity(one, relations, byID, pick) : [h("h3", {}, [t("{n} entities", { n: entities.length }), t("{n} relations", { n: relations.length })].join(", ")), h("p", { class: "soft small" }, t("Choose someone or something to read about them.")), list]);
  }
  search.addEventListener("input", draw);
  kind.addEventListener("change", draw);
  replace(root, h("div", { class: "row" }, search, kind), h("div", { class: "split" }, h("div", { class: "panel" }, graph), detail));
  draw();
}

// layout places entities by springs along relations; the same world looks the same each time.
function layout(entities, relations) {
  const n = entities.length;
  const index = new Map(entities.map((e, i) => [e.id, i]));
  const px = entities.map((_, i) => 500 + (180 + 16 * Math.sqrt(i)) * Math.cos(i * 2.4) * 1.3);
  const py = entities.map((_, i) => 320 + (120 + 10 * Math.sqrt(i)) * Math.sin(i * 2.4));
  const edges = relations.map((r) => [index.get(r.from), index.get(r.to)]).filter(([a, b]) => a !== undefined && b !== undefined && a !== b);
  const rounds = Math.max(20, Math.min(260, Math.floor(4e6 / (n * n + 1))));
  const want = Math.sqrt(1000 * 640 / (n + 1)) * 0.72;
  for (let round = 0; round < rounds; round++) {
    const heat = 24 * (1 - round / rounds);
    const dx = new Float64Array(n);
    const dy = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      for (let j = i + 1; j < n; j++) {
        const x = px[i] - px[j];
        const y = (py[i] - py[j]) * 1.4;
        const push = want * want / Math.max(x * x + y * y, 40);
        dx[i] += x * push; dy[i] += y * push; dx[j] -= x * push; dy[j] -= y * push;
      }
      dx[i] += (500 - px[i]) * 0.35;
      dy[i] += (320 - py[i]) * 0.55;
    }
    for (const [a, b] of edges) {
      const x = px[a] - px[b];
      const y = py[a] - py[b];
      const pull = Math.hypot(x, y) / want * 0.9;
      dx[a] -= x * pull; dy[a] -= y * pull; dx[b] += x * pull; dy[b] += y * pull;
    }
    for (let i = 0; i < n; i++) {
      const length = Math.hypot(dx[i], dy[i]) || 1;
      px[i] = Math.min(940, Math.max(60, px[i] + dx[i] / length * Math.min(length, heat)));
      py[i] = Math.min(605, Math.max(25, py[i] + dy[i] / length * Math.min(length, heat)));
    }
  }
  return new Map(entities.map((e, i) => [e.id, [px[i], py[i]]]));
}

function drawGraph(entities, relations, places, chosen, pick) {
  const near = new Set([chosen]);
  for (const r of relations) {
    if (r.from === chosen) near.add(r.to);
    if (r.to === chosen) near.add(r.from);
  }
  return s("svg", { class: `graph picture${chosen && near.size ? " picked" : ""}`, viewBox: "0 0 1000 640", role: "group", "aria-label": t("Relations") },
    relations.map((r) => {
      const [[x1, y1], [x2, y2]] = [places.get(r.from), places.get(r.to)];
      return s("line", { class: `edge${r.from === chosen || r.to === chosen ? " lit" : ""}`, x1, y1, x2, y2 }, s("title", {}, `${r.from} ${r.type} ${r.to}`));
    }),
    entities.map((e) => {
      const [x, y] = places.get(e.id);
      return pressable(s("g", { class: `node ${colour(e.type)}${e.id === chosen ? " chosen" : ""}${near.has(e.id) ? " near" : ""}`, "aria-label": `${e.name}, ${e.type}`, "aria-pressed": String(e.id === chosen) },
        s("circle", { cx: x, cy: y, r: 8 }), s("text", { x, y: y + 21 }, e.name)), () => pick(e.id));
    }));
}

function entity(e, relations, byID, pick) {
  const name = (id) => byID.get(id)?.name ?? id;
  const link = (id) => h("button", { type: "button", class: "quiet", onclick: () => pick(id) }, name(id));
  const mine = relations.filter((r) => r.from === e.id || r.to === e.id);
  return [h("div", { class: `card-head ${colour(e.type)}` }, h("h3", { class: "who" }, e.name), h("span", { class: "chip" }, e.type)),
    e.aliases?.length > 0 && h("p", { class: "small soft" }, t("also: {names}", { names: e.aliases.join(", ") })),
    e.description && h("p", { class: "said" }, e.description),
    e.attributes && h("dl", { class: "facts" }, Object.entries(e.attributes).map(([k, v]) => [h("dt", {}, k), h("dd", {}, v)])),
    mine.length > 0 && [h("h2", {}, t("Relations")), h("ul", { class: "list small" }, mine.map((r) => h("li", {}, r.from === e.id ? [r.type.replaceAll("_", " "), " ", link(r.to)] : [link(r.from), " ", r.type.replaceAll("_", " ")], r.note && h("div", { class: "soft" }, r.note))))],
    h("button", { type: "button", onclick: () => pick(e.id) }, t("Back to all"))];
}

function facts(root) {
  const text = h("input", { type: "search", class: "grow", placeholder: t("What is known of …"), "aria-label": t("What is known of …"), required: true });
  const out = h("div", { "aria-live": "polite" }, empty(t("Ask memory"), t("Search finds facts by what they mean, and shows where each comes from.")));
  const form = h("form", { class: "row" }, text, h("button", { class: "main" }, t("Search")));
  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    try {
      const got = await post("facts", { query: text.value });
      replace(out, got.facts?.length ? h("ul", { class: "list" }, got.facts.map((f) => h("li", {}, h("div", { class: "said" }, f.text), h("div", { class: "small soft" }, source(f), f.date && ` · ${f.date}`, ` · ${Math.round(f.score * 100)} %`)))) : empty(t("Nothing is known about that"), t("Try other words.")));
    } catch (error) {
      toast(error.message, true);
    }
  });
  replace(root, h("section", { class: "panel" }, form, out));
}

// lineLink leads to a line of a session.
const lineLink = (session, line) => h("a", { href: `#/sessions/${encodeURIComponent(session)}/${line}` }, t("line {n}", { n: line }));

function source(f) {
  const [kind, ...rest] = f.source.split(":");
  const id = rest.join(":");
  if (f.session) return [h("a", { href: `#/sessions/${encodeURIComponent(f.session)}` }, t("said in session {id}", { id: f.session })), f.line && [", ", lineLink(f.session, f.line)]];
  return kind === "entity" ? t("description of {id}", { id }) : f.source;
}

function review(root) {
  const out = h("div", {});
  const decide = async (id, how, text) => {
    try {
      await post("memory", { id, how, text: text ?? "" });
      await load();
    } catch (error) {
      toast(error.message, true);
    }
  };
  let mentioned; // where others mention a player who was forgotten: shown once, and kept nowhere
  const showMentions = async () => {
    try {
      mentioned = (await post("memory", { how: "mentions" })).mentions;
      await load();
    } catch (error) {
      toast(error.message, true);
    }
  };
  const erase = async (m) => {
    try {
      await post("memory", { how: `erase-${m.kind}`, id: Number(m.id) });
      mentioned.found = mentioned.found.filter((one) => one !== m);
      await load();
    } catch (error) {
      toast(error.message, true);
    }
  };
  const mentions = (wait) => (wait > 0 || mentioned) && h("section", { class: "panel" },
    h("h2", {}, t("Others mention a forgotten player")),
    wait > 0 && may("memory.write") && h("button", { type: "button", onclick: showMentions }, t("Show {n} places, this once", { n: wait })),
    mentioned && [h("p", { class: "small soft" }, t("{names}: nothing was changed there, and this list is only shown once.", { names: mentioned.names.join(", ") })),
      h("ul", { class: "list" }, (mentioned.found ?? []).map((m) => h("li", {}, h("div", { class: "said" }, m.text), h("div", { class: "small soft" }, `${m.kind} ${m.id}`), ["line", "note"].includes(m.kind) && h("button", { type: "button", class: "quiet", onclick: () => erase(m) }, t("Delete"))))),
      mentioned.more > 0 && h("p", { class: "small soft" }, t("and {n} more", { n: mentioned.more }))]);
  async function load() {
    let got;
    try {
      got = await get("memory");
    } catch (error) {
      replace(out, empty(t("What was learnt is not shown"), error.message));
      return;
    }
    const about = (e) => h("div", { class: "small soft" }, [e.kind, e.npc, e.person, e.date?.text || day(e.at), ...(e.lines ?? []).map((line) => lineLink(e.session, line))].filter(Boolean).map((x, i) => [i > 0 && " · ", x]));
    const waiting = got.waiting.map((e) => {
      const text = h("textarea", { rows: "2", "aria-label": t("Wording") });
      text.value = e.text;
      return h("li", {}, text, about(e), may("memory.write") && h("div", { class: "row" }, h("button", { type: "button", class: "main", onclick: () => decide(e.id, "accept", text.value === e.text ? "" : text.value) }, t("Learn")), h("button", { type: "button", onclick: () => decide(e.id, "reject") }, t("Reject"))));
    });
    replace(out, mentions(got.mentions), h("div", { class: "half" },
      h("section", { class: "panel" }, h("div", { class: "card-head" }, h("h2", {}, t("Waiting for you")), may("memory.write") && h("button", { type: "button", onclick: () => decide(0, "gather") }, t("Look through what was said"))),
        waiting.length ? h("ul", { class: "list" }, waiting) : empty(t("Nothing is waiting"), got.learn === "off" ? t("Learning is switched off: memory.learn is off.") : t("Promises, debts and news that come up are proposed here."))),
      h("section", { class: "panel" }, h("h2", {}, t("Learnt")), got.learnt.length ? h("ul", { class: "list" }, got.learnt.map((e) => h("li", {}, h("div", { class: "said" }, e.text), about(e), may("memory.write") && h("button", { type: "button", class: "quiet", onclick: () => decide(e.id, "drop") }, t("Forget"))))) : empty(t("Nothing has been learnt yet"), t("What you accept appears here.")))));
  }
  replace(root, out);
  load();
}
