// How a page looks to this person: its language and its colours, which are kept.
import { h } from "./dom.js";
import { t, language, chooseLanguage } from "./language.js";

const theme = () => localStorage.getItem("theme") ?? "auto";

function applyTheme() {
  if (theme() === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme();
}

// applyLook is called before anything is drawn.
export function applyLook() {
  chooseLanguage(localStorage.getItem("language"));
  applyTheme();
}

// lookControls are what one chooses them with. redraw is called when the language is another.
export function lookControls(redraw) {
  const colours = h("button", { type: "button", onclick: () => {
    localStorage.setItem("theme", { auto: "dark", dark: "light", light: "auto" }[theme()]);
    applyTheme();
    name();
  } });
  const name = () => {
    colours.textContent = { auto: "◐", dark: "☾", light: "☀" }[theme()];
    colours.setAttribute("aria-label", t("Colours: {now}", { now: t(theme()) }));
  };
  name();
  return h("div", { class: "pair" },
    h("select", { "aria-label": t("Language"), onchange: (e) => {
      localStorage.setItem("language", e.target.value);
      chooseLanguage(e.target.value);
      redraw();
    } }, [["en", "English"], ["de", "Deutsch"]].map(([id, name]) => h("option", { value: id, selected: id === language }, name))),
    colours);
}
