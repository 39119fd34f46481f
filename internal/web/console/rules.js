// The rule book, as players and NPCs ask it.
import { h, replace, empty, toast } from "./dom.js";
import { t } from "./words.js";
import { call } from "./api.js";

export function rules(root) {
  const text = h("input", { type: "search", class: "grow", placeholder: t("How does grappling work?"), "aria-label": t("Question about the rules"), required: true });
  const out = h("div", { "aria-live": "polite" }, empty(t("Ask the rule book"), t("In English or German, in your own words.")));
  const detail = h("div", {});
  const form = h("form", { class: "row panel" }, text, h("button", { class: "main" }, t("Search")));
  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    try {
      const got = await call("search_rules", { query: text.value });
      replace(detail);
      replace(out, got.spoken && h("p", { class: "said" }, got.spoken), got.results?.length ? h("ul", { class: "list" }, got.results.map((r) => h("li", {}, h("button", { type: "button", class: "pick", onclick: () => open(r.id) }, h("strong", {}, r.name), " ", h("span", { class: "chip" }, r.category), h("div", { class: "soft small" }, r.summary))))) : empty(t("The book says nothing about that"), t("Try other words.")));
      if (got.results?.length) open(got.results[0].id);
    } catch (error) {
      toast(error.message, true);
    }
  });
  async function open(id) {
    try {
      replace(detail, rule(await call("get_rule", { id })));
    } catch (error) {
      toast(error.message, true);
    }
  }
  replace(root, h("div", { class: "head" }, h("h1", {}, t("Rules"))), form, h("div", { class: "half" }, h("section", { class: "panel" }, out), detail));
}

// rule shows what get_rule says; what it has beside name and text differs by kind.
function rule(r) {
  if (typeof r === "string") return h("section", { class: "panel" }, h("p", { class: "said" }, r));
  const { name, id, category, text, summary, spoken, source, ...more } = r;
  const rows = Object.entries(more).filter(([, v]) => v !== null && v !== "" && !(Array.isArray(v) && v.length === 0));
  return h("section", { class: "panel" }, h("div", { class: "card-head" }, h("h3", {}, name ?? id), category && h("span", { class: "chip" }, category)),
    (text ?? summary ?? spoken ?? "").split("\n").filter(Boolean).map((p) => h("p", { class: "said" }, p)),
    rows.length > 0 && h("dl", { class: "facts" }, rows.map(([k, v]) => [h("dt", {}, k.replaceAll("_", " ")), h("dd", {}, typeof v === "object" ? Array.isArray(v) && v.every((x) => typeof x !== "object") ? v.join(", ") : JSON.stringify(v) : String(v))])),
    h("p", { class: "small soft mono" }, id));
}
