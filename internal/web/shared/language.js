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

// t translates a text and puts values in the place of {names}. A text with the number {n} may have another
// wording for one, whose key ends in ", one".
export function t(text, values) {
  const words = known[language];
  let out = (values?.n === 1 ? words[`${text}, one`] : undefined) ?? words[text] ?? text;
  for (const [name, value] of Object.entries(values ?? {})) out = out.replaceAll(`{${name}}`, value);
  return out;
}
