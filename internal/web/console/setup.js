// What is wrong with the configuration's files, by file and line, and what is away.
import { h, replace, empty } from "./dom.js";
import { t } from "./words.js";
import { get } from "./api.js";

export function setup(root) {
  const out = h("div", { "aria-live": "polite" });
  replace(root, h("div", { class: "head" }, h("h1", {}, t("Setup")), h("p", { class: "soft" }, t("This checks the files as they are now. The running game uses what it read at its start or with /reload.")), h("div", { class: "right" }, h("button", { type: "button", onclick: load }, t("Check again")))), out);
  async function load() {
    replace(out, h("p", { class: "soft" }, t("gathering …")));
    let got;
    try {
      got = await get("problems");
    } catch (error) {
      replace(out, empty(t("This cannot be shown"), error.message));
      return;
    }
    const byFile = new Map();
    for (const p of got.problems) byFile.set(p.file, [...(byFile.get(p.file) ?? []), p]);
    replace(out,
      h("section", { class: "panel" }, h("h2", {}, t("Configuration")), byFile.size === 0 ? empty(t("All is well"), t("The configuration has no mistakes and nothing unusual.")) : [...byFile].map(([file, all]) => [h("h3", { class: "mono small" }, file), h("ul", { class: "list" }, all.map((p) => h("li", {}, p.line > 0 && h("span", { class: "chip num" }, t("line {n}", { n: p.line })), " ", p.what, p.fix && h("div", { class: "soft small" }, p.fix))))])),
      h("section", { class: "panel" }, h("h2", {}, t("Servers")), got.servers?.length ? h("ul", { class: "list" }, got.servers.map((x) => h("li", {}, h("strong", {}, x.name), " ", h("span", { class: x.state === "ready" ? "kept" : "careful" }, t(x.state)), h("div", { class: "soft small" }, x.reason ?? t("{n} tools", { n: x.tools }))))) : empty(t("No external servers"), t("Add some under mcp.servers.")),
        got.unfinished?.map((x) => h("p", { class: "careful" }, x))),
      h("section", { class: "panel" }, h("h2", {}, t("Memory")), h("p", { class: "mono" }, got.memory)));
  }
  load();
}
