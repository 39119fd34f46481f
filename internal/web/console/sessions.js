// Sessions, what was said in each, and what a recap would tell.
import { h, replace, empty, toast, colour, day, clock } from "./dom.js";
import { t } from "./words.js";
import { read, get } from "./api.js";

export function sessions(root, app, rest) {
  const list = h("ul", { class: "list" });
  const detail = h("div", {}, empty(t("Choose a session"), t("You see here what was said in it.")));
  replace(root, h("div", { class: "head" }, h("h1", {}, t("Sessions"))), h("div", { class: "sessions split" }, detail, h("section", { class: "panel" }, h("h2", {}, t("Sessions")), list)));
  let all = [];
  let chosen = "";

  function draw() {
    replace(list, all.length === 0 ? h("li", {}, empty(t("No sessions"), t("The first one starts when someone plays."))) : all.map((x) => h("li", {}, h("button", { type: "button", class: "pick", "aria-current": x.id === chosen && "true", onclick: () => app.go(`sessions/${x.id}`) }, day(x.started), h("div", { class: "small soft" }, t("{n} lines", { n: x.lines }), x.ended ? "" : ` · ${t("still running, or was cut off")}`)))));
  }

  // show shows a session, and which of its lines is meant if one is.
  async function show(id, line) {
    chosen = id;
    draw();
    let got;
    try {
      got = await read(`glyphoxa://sessions/${id}/transcript`);
    } catch (error) {
      replace(detail, empty(t("It cannot be read"), error.message));
      return;
    }
    const lines = got.lines ?? [];
    const recap = h("div", {});
    replace(detail, h("div", { class: "head" }, h("h3", {}, day(got.session.started)), h("div", { class: "right" }, h("button", { type: "button", onclick: () => tell(recap, id) }, t("Recap")))), recap,
      lines.length === 0 ? empty(t("Nothing was said"), "") : h("div", { class: "log" }, lines.map((l) => h("div", { class: `line ${l.role === "npc" ? colour(l.speaker) : ""}`, id: `line-${l.id}` }, h("div", { class: `who${l.role === "npc" ? "" : " soft"}`, title: clock(l.at) }, l.speaker), h("div", { class: `said${l.role === "npc" ? "" : " player"}` }, l.text)))));
    if (!line) return;
    const el = document.getElementById(`line-${line}`);
    if (!el) {
      toast(t("That line is not among the lines shown."), true);
      return;
    }
    el.classList.add("found");
    el.setAttribute("tabindex", "-1");
    el.focus({ preventScroll: true });
    el.scrollIntoView({ block: "center" });
  }

  async function load() {
    try {
      all = (await read("glyphoxa://sessions")).sessions ?? [];
    } catch (error) {
      toast(error.message, true);
    }
    draw();
    if (rest[0] || all[0]) await show(rest[0] ? decodeURIComponent(rest[0]) : all[0].id, rest[1]);
  }
  load();
  return { go: (r) => r[0] && show(decodeURIComponent(r[0]), r[1]) };
}

// tell shows the lines that tell most.
async function tell(root, session) {
  replace(root, h("p", { class: "soft" }, t("gathering …")));
  try {
    const got = await get("recap", { session });
    replace(root, h("section", { class: "panel" }, h("h2", {}, t("The most important lines")), got.lines.length === 0 ? h("p", { class: "soft" }, t("Nothing was said")) : h("ul", { class: "list" }, got.lines.map((l) => h("li", { class: "said" }, h("strong", {}, `${l.speaker}: `), l.text))),
      h("p", { class: "small soft" }, t("For a recap told by the language model: glyphoxa recap."))));
  } catch (error) {
    replace(root, h("p", { class: "breach" }, error.message));
  }
}
