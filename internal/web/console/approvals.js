// Calls that wait for somebody to agree, and what was called by whom.
import { h, scrolls, replace, empty, toast, day } from "./dom.js";
import { t } from "./words.js";
import { call, may } from "./api.js";

export function approvals(root, app) {
  const waiting = h("div", { "aria-live": "polite" });
  const log = h("div", {});
  const denied = h("input", { type: "checkbox" });
  const who = h("input", { type: "search", placeholder: t("by whom"), "aria-label": t("by whom"), size: "12" });
  const tool = h("input", { type: "search", placeholder: t("which tool"), "aria-label": t("which tool"), size: "12" });
  replace(root, h("div", { class: "head" }, h("h1", {}, t("Approvals"))),
    may("session.control") && h("section", { class: "panel" }, h("h2", {}, t("Waiting for you")), waiting),
    may("audit.read") && h("section", { class: "panel" }, h("div", { class: "head" }, h("h2", {}, t("Audit log")), h("div", { class: "right" }, who, tool, h("label", {}, denied, t("denied only")), h("button", { type: "button", onclick: records }, t("Show")))), log));

  async function decide(id, grant) {
    try {
      const got = await call("decide_approval", { id, grant });
      toast(got.made?.failed ? t("allowed, but could not be done: {why}", { why: got.made.failed }) : grant ? got.made ? t("done") : t("allowed, this once") : t("request denied"), Boolean(got.made?.failed));
    } catch (error) {
      toast(error.message, true);
    }
    pending();
  }

  async function pending() {
    if (!may("session.control")) return;
    try {
      const all = (await call("list_approvals", {})).approvals;
      replace(waiting, all.length === 0 ? empty(t("Nothing is waiting"), t("What an NPC or a program may only do with your permission appears here.")) : h("ul", { class: "list" }, all.map((a) => h("li", {}, h("div", {}, h("strong", {}, a.caller), " ", t("wants to use"), " ", h("code", {}, a.tool), a.proposed && h("span", { class: "chip" }, t("proposal"))), h("pre", { tabindex: "0" }, a.arguments), h("div", { class: "row" }, h("button", { type: "button", class: "main", onclick: () => decide(a.id, true) }, t("Allow")), h("button", { type: "button", onclick: () => decide(a.id, false) }, t("Deny")), h("span", { class: "small soft" }, t("until {time}", { time: day(a.expires) })))))));
    } catch (error) {
      replace(waiting, empty(t("This cannot be shown"), error.message));
    }
  }

  async function records() {
    if (!may("audit.read")) return;
    const query = { limit: 60 };
    if (denied.checked) query.denied = true;
    if (who.value.trim()) query.who = who.value.trim();
    if (tool.value.trim()) query.tool = tool.value.trim();
    try {
      const all = (await call("audit_query", query)).records ?? [];
      replace(log, all.length === 0 ? empty(t("No records"), t("Calls appear here as they are made.")) : scrolls(t("Audit log"), h("table", {}, h("thead", {}, h("tr", {}, [t("when"), t("who"), t("Tool"), t("decision"), t("rule"), t("took")].map((x, i) => h("th", { class: i === 5 && "r" }, x)))),
        h("tbody", {}, all.map((r) => h("tr", {}, h("td", { class: "num soft" }, day(r.at)), h("td", {}, r.who, r.npc && r.who !== `npc:${r.npc}` && ` (${r.npc})`), h("td", { class: "mono" }, r.tool), h("td", { class: ["allowed", "granted"].includes(r.decision) ? r.code ? "careful" : "kept" : "breach" }, t(r.decision), r.code && ` · ${r.code}`, r.times > 1 && ` ×${r.times}`), h("td", { class: "soft" }, r.rule ?? "", r.decided_by && ` · ${r.decided_by}`), h("td", { class: "r num" }, r.duration_ms ? `${r.duration_ms.toFixed(1)} ms` : "–")))))));
    } catch (error) {
      replace(log, empty(t("The log cannot be shown"), error.message));
    }
  }

  pending();
  records();
  return { event: (all) => all.some((e) => e.kind?.startsWith("approval")) && pending() };
}
