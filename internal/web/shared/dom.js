// Elements without markup in strings: whatever text comes from a table stays text.

const svgNames = "http://www.w3.org/2000/svg";

function fill(el, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) el.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "selected") el[name] = value;
    else el.setAttribute(name, value === true ? "" : value);
  }
  el.append(...children.flat(3).filter((c) => c !== undefined && c !== null && c !== false));
  return el;
}

export const h = (tag, props, ...children) => fill(document.createElement(tag), props, children);
export const s = (tag, props, ...children) => fill(document.createElementNS(svgNames, tag), props, children);

// scrolls is a place that may be wider than the page, and can be moved with the keyboard.
export const scrolls = (label, ...children) => h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, ...children);

export const replace = (el, ...children) => el.replaceChildren(...children.flat(3).filter(Boolean));

// icon is a drawing with a name of its own elsewhere.
export const empty = (title, text) => h("p", { class: "empty" }, h("strong", {}, title), text);

// pressable has something that is no button act like one.
export function pressable(el, act) {
  el.setAttribute("tabindex", "0");
  el.setAttribute("role", "button");
  el.addEventListener("click", act);
  el.addEventListener("keydown", (e) => {
    if (e.key === "Enter" || e.key === " ") {
      e.preventDefault();
      act(e);
    }
  });
  return el;
}

export function toast(text, bad) {
  const el = h("div", { class: bad ? "toast bad" : "toast" }, text);
  document.getElementById("toasts").append(el);
  setTimeout(() => el.remove(), bad ? 8000 : 4000);
}

// colour is the same for the same name wherever it stands.
export function colour(name) {
  let sum = 7;
  for (const c of name ?? "") sum = (sum * 31 + c.codePointAt(0)) >>> 0;
  return `c${sum % 8}`;
}

export const ms = (v) => v === undefined || v === null ? "–" : v >= 10000 ? `${(v / 1000).toFixed(1)} s` : v >= 1000 ? `${(v / 1000).toFixed(2)} s` : v >= 10 ? `${Math.round(v)} ms` : v >= 1 ? `${v.toFixed(1)} ms` : v > 0 ? `${v.toFixed(2)} ms` : "0";

export const clock = (text) => new Date(text).toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
export const day = (text) => new Date(text).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });

// download hands a file to the browser.
export function download(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
