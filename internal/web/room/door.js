// The door: a name, what is done with what one says, and whether one speaks or types.
import { h, s, replace } from "./dom.js";
import { t, language } from "./words.js";
import { icon } from "./icons.js";

// refusal is what a refused attempt says, in the language of the page where it is known.
export function refusal(error) {
  const said = t(error.message);
  if (error.status === undefined || said !== error.message || language === "en" && error.status !== 0) return said;
  const key = `refused ${error.status}`;
  return t(key) === key ? error.message : t(key);
}

const way = (value, name, about, drawing, chosen) => h("label", { class: "way" },
  h("input", { type: "radio", name: "ways", value, checked: value === chosen }), icon(drawing),
  h("span", {}, h("strong", {}, name), h("span", { class: "small soft" }, about)));

// door draws it. enter is called with what was chosen, and may fail; said is told above
// the form, when somebody left or was refused.
export function door(root, { enter, said, name }) {
  const ways = localStorage.getItem("ways") ?? "hold";
  const who = h("input", { id: "name", autocomplete: "nickname", maxlength: "40", required: true, value: name ?? localStorage.getItem("speaker") ?? "", "aria-describedby": "name-about" });
  const agrees = h("input", { type: "checkbox", id: "agrees", required: true });
  const trouble = h("p", { class: "trouble", role: "alert" });
  const button = h("button", { class: "main big" }, t("Take a seat"));
  const form = h("form", { class: "door-form" },
    h("div", { class: "field" }, h("label", { for: "name" }, t("Your name at the table")), who, h("span", { class: "small soft", id: "name-about" }, t("Everyone sees it, and the NPCs call you by it."))),
    h("fieldset", { class: "ways" }, h("legend", {}, t("How do you want to take part?")),
      way("hold", t("Hold to talk"), t("You are heard while you hold a button or the space bar."), "mic", ways),
      way("open", t("Open microphone"), t("You are always heard, until you mute yourself. Headphones help."), "sound", ways),
      way("none", t("Only type"), t("Nobody hears you; you hear and read the others."), "type", ways)),
    h("div", { class: "agree" },
      h("label", { for: "agrees" }, agrees, h("span", {}, t("I agree to be heard and remembered here."))),
      h("details", {}, h("summary", {}, t("What happens with what I say?")),
        h("ul", { class: "small" },
          h("li", {}, t("The sound of your microphone goes to the computer of the person hosting this game, to the other players, and to the speech service that the host uses. It is not recorded.")),
          h("li", {}, t("What you say or type is saved. NPCs remember it, and the host's language model reads it to answer.")),
          h("li", {}, t("You can leave at any time, and delete everything you said in the settings at the table.")),
          h("li", {}, t("This page only talks to the host, and only saves your settings in this browser."))))),
    trouble, button);
  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    const chosen = new FormData(form).get("ways");
    localStorage.setItem("speaker", who.value.trim());
    localStorage.setItem("ways", chosen);
    button.disabled = true;
    button.textContent = t("Joining …");
    trouble.textContent = "";
    try {
      await enter({ name: who.value.trim(), ways: chosen });
    } catch (error) {
      trouble.textContent = refusal(error);
      button.disabled = false;
      button.textContent = t("Take a seat");
      if (error.status === 409) who.select();
    }
  });
  replace(root, h("div", { class: "panel door" },
    said && h("p", { class: "said-before", role: "status" }, said),
    h("div", { class: "welcome" }, s("svg", { viewBox: "0 0 32 32", "aria-hidden": "true" }, s("path", { class: "brand-mark", d: "M16 2 28 9v14L16 30 4 23V9Z" }), [9, 12.5, 16, 19.5, 23].map((x, i) => s("path", { class: "brand-wave", d: `M${x} ${16 - [1, 4, 7, 3, 1][i]}v${2 * [1, 4, 7, 3, 1][i]}` }))),
      h("h1", {}, t("There is a seat for you"))),
    h("p", { class: "soft" }, t("At this table, people talk with characters who listen and answer. Speak to them as you would to anyone.")),
    form));
  if (who.value === "") who.focus();
}
