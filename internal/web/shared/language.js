// The words of a page. English ones are their own keys; a page teaches the others.
const known = { en: {}, de: {
  "Language": "Sprache", "Colours: {now}": "Farben: {now}", "auto": "wie das System", "dark": "dunkel", "light": "hell",
} };

export let language = "en";

export function teach(words) {
  for (const [id, more] of Object.entries(words)) Object.assign(known[id], more);
}

export function chooseLanguage(wanted) {
  const asked = [wanted, ...navigator.languages].filter(Boolean).map((l) => l.slice(0, 2).toLowerCase());
  language = asked.find((l) => l in known) ?? "en";
  document.documentElement.lang = language;
}

// t translates a text and puts values in the place of {names}.
export function t(text, values) {
  let out = known[language][text] ?? text;
  for (const [name, value] of Object.entries(values ?? {})) out = out.replaceAll(`{${name}}`, value);
  return out;
}
