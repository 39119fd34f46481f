// Dice by click, or as one writes them.
import { h, s } from "./dom.js";
import { t } from "./words.js";

const shapes = {
  4: "M16 4 29 27H3Z", 6: "M6 6h20v20H6Z", 8: "M16 2 29 16 16 30 3 16Z", 10: "M16 2 30 14 26 22 16 30 6 22 2 14Z",
  12: "M16 2 30 12 25 29H7L2 12Z", 20: "M16 2 28 9v14L16 30 4 23V9Z", 100: "M16 2a14 14 0 1 1 0 28 14 14 0 0 1 0-28Z",
};

export function dice(roll) {
  let luck = "";
  const count = h("input", { type: "number", min: "1", max: "20", value: "1" });
  const more = h("input", { type: "number", min: "-50", max: "50", value: "0" });
  const added = () => Number(more.value) ? `${Number(more.value) > 0 ? "+" : ""}${Number(more.value)}` : "";
  const throwDie = (sides) => roll(sides === 20 && luck ? `2d20${luck}1${added()}` : `${Math.max(1, Number(count.value) || 1)}d${sides}${added()}`);
  const lucks = [["kh", t("Advantage")], ["kl", t("Disadvantage")]].map(([id, name]) => h("button", { type: "button", class: "luck", "aria-pressed": "false", onclick: () => {
    luck = luck === id ? "" : id;
    for (const b of lucks) b.setAttribute("aria-pressed", String(b.dataset.luck === luck));
  }, "data-luck": id }, name));
  const own = h("input", { class: "grow", placeholder: "2d6+3", "aria-label": t("Dice as you write them"), maxlength: "200", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
  const form = h("form", { class: "row own-dice" }, own, h("button", {}, t("Roll")));
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    if (own.value.trim()) roll(own.value.trim());
  });
  return h("section", { class: "dice", "aria-label": t("Dice") },
    h("div", { class: "numbers" }, h("label", {}, t("Dice"), count), h("label", {}, t("plus"), more), lucks),
    h("div", { class: "dies" }, Object.keys(shapes).map(Number).map((sides) => h("button", { type: "button", class: "die", onclick: () => throwDie(sides) },
      s("svg", { viewBox: "0 0 32 32", "aria-hidden": "true" }, s("path", { d: shapes[sides] }), s("text", { x: "16", y: sides === 4 ? "23" : "20" }, String(sides))), h("span", { class: "hidden-text" }, t("Roll d{n}", { n: sides }))))),
    form);
}
