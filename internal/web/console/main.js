// The frame of the page: who is here, which table, which view, and the one stream of events.
import { h, replace, toast } from "./dom.js";
import { t } from "./words.js";
import { applyLook, lookControls } from "./look.js";
import { get, post, here, may, seesAll } from "./api.js";
import { Story } from "./turns.js";
import { table } from "./table.js";

const views = [
  { id: "table", name: "Table", load: async () => table, right: "session.read" },
  { id: "turns", name: "Turns", load: async () => (await import("./waterfall.js")).turns, right: "session.read" },
  { id: "tools", name: "Tools", load: async () => (await import("./tools.js")).tools },
  { id: "memory", name: "Memory", load: async () => (await import("./memory.js")).memory, right: "world.read" },
  { id: "rules", name: "Rules", load: async () => (await import("./rules.js")).rules, right: "rules.read" },
  { id: "sessions", name: "Sessions", load: async () => (await import("./sessions.js")).sessions, right: "session.read" },
  { id: "approvals", name: "Approvals", load: async () => (await import("./approvals.js")).approvals, right: "session.control", or: "audit.read" },
  { id: "governor", name: "Governor", load: async () => (await import("./governor.js")).governor, right: "session.read", all: true },
  { id: "setup", name: "Setup", load: async () => (await import("./setup.js")).setup, right: "session.read", all: true },
];

const app = { story: new Story(), status: null, refresh: () => refreshSoon(0), go };
let shown = null; // the view on the page
let shownAt = "";
let stream = null;
let connection = "off";
let service = ""; // with whose accounts one may sign in
let cameBack = /^#(account-[a-z]+)$/.exec(location.hash)?.[1] ?? "";

applyLook();

const allowed = () => views.filter((v) => (!v.right || may(v.right) || v.or && may(v.or)) && (!v.all || seesAll()));

function drawFrame() {
  document.getElementById("skip").textContent = t("Skip to content");
  const at = location.hash.slice(2).split("/")[0] || "table";
  const waiting = app.story.waiting.size;
  replace(document.getElementById("nav"), here.me && h("ul", {}, allowed().map((v) => h("li", {}, h("a", { href: `#/${v.id}`, "aria-current": v.id === at && "page" }, t(v.name), v.id === "approvals" && waiting > 0 && h("span", { class: "badge", "aria-label": t("{n} waiting", { n: waiting }) }, waiting))))));
  const nav = document.getElementById("nav");
  const current = nav.querySelector("[aria-current]");
  if (current && nav.scrollWidth > nav.clientWidth) nav.scrollLeft = current.offsetLeft - nav.clientWidth / 2;
  nav.setAttribute("aria-label", t("Views"));
  const state = { on: t("live"), off: t("not connected"), lost: t("reconnecting") }[connection];
  replace(document.getElementById("foot"),
    here.me && h("div", { class: "row", role: "status" }, h("span", { class: `state-dot ${connection === "on" ? "on" : connection === "lost" ? "off" : ""}`, "aria-hidden": "true" }), h("span", { class: "soft" }, state)),
    here.me?.rooms.length > 1 && h("select", { "aria-label": t("Table"), onchange: (e) => enter(e.target.value) }, here.me.rooms.map((r) => h("option", { value: r.id, selected: r.id === here.room }, r.name || r.id))),
    lookControls(redraw),
    here.me && h("div", { class: "who-am-i soft small" }, here.me.known ? `${here.me.name} · ${here.me.profile}` : t("not signed in · {profile}", { profile: here.me.profile })),
    here.me && (here.me.known ? h("button", { type: "button", class: "quiet", onclick: signOut }, t("Sign out")) : h("button", { type: "button", onclick: () => signInPage() }, t("Sign in"))));
}

async function draw() {
  const [id, ...rest] = location.hash.slice(2).split("/");
  const view = allowed().find((v) => v.id === id) ?? allowed()[0];
  drawFrame();
  const root = document.getElementById("main");
  if (!view) {
    replace(root, h("p", { class: "empty" }, h("strong", {}, t("Nothing to see here")), here.me.rooms.length > 0 ? t("Your profile is not allowed to see this table.") : t("No game is running at a table that you lead. This page shows it as soon as one starts.")));
    return;
  }
  document.title = `${t(view.name)} · ${here.me.rooms.find((r) => r.id === here.room)?.name || "Glyphoxa"}`;
  if (shown && shownAt === view.id && shown.go) {
    shown.go(rest);
    return;
  }
  shown?.close?.();
  shown = null;
  shownAt = view.id;
  try {
    const make = await view.load();
    if (shownAt !== view.id) return;
    replace(root);
    shown = make(root, app, rest) ?? {};
  } catch (error) {
    replace(root, h("p", { class: "empty" }, h("strong", {}, t("This view could not be shown")), error.message));
  }
}

function redraw() {
  shown?.close?.();
  shown = null;
  shownAt = "";
  for (const i of app.story.items) delete i.drawn;
  draw();
}

function go(where) {
  location.hash = `#/${where}`;
}

// Events come in bursts; the page is drawn once a frame.
let due = false;
const news = [];
function eventSoon(e) {
  if (news.push(e) > 500) news.shift();
  if (due) return;
  due = true;
  requestAnimationFrame(() => {
    due = false;
    const all = news.splice(0);
    shown?.event?.(all);
    if (all.some((e) => e.kind?.startsWith("approval"))) drawFrame();
  });
}

let timer = 0; // of the next refresh; more news do not put it off
const telling = new Set(["tier", "listening", "turn.ended", "guarded", "unsaid", "cost", "approval.ended", "session"]);
function refreshSoon(wait = 400) {
  if (wait === 0) clearTimeout(timer);
  else if (timer) return;
  timer = setTimeout(refresh, wait);
}

async function refresh() {
  timer = 0;
  if (!may("session.read")) return;
  try {
    app.status = await get("table");
    here.me.rooms.find((r) => r.id === here.room).live = app.status.live;
    shown?.status?.();
  } catch (error) {
    if (error.status === 404) start();
  }
}

function follow() {
  stream?.close();
  app.story = new Story();
  app.story.listeners.add((e) => {
    eventSoon(e);
    if (telling.has(e.kind)) refreshSoon();
  });
  connection = "off";
  if (!may("session.read")) return;
  stream = new EventSource(`/console/events?room=${encodeURIComponent(here.room)}`);
  stream.onopen = () => { connection = "on"; drawFrame(); };
  stream.onmessage = (m) => app.story.take(JSON.parse(m.data));
  stream.addEventListener("gap", (m) => app.story.gap(JSON.parse(m.data).missed));
  stream.onerror = () => {
    connection = "lost";
    drawFrame();
    if (stream.readyState === EventSource.CLOSED) setTimeout(start, 3000); // refused: who we are may have changed
  };
}

async function enter(room) {
  here.room = room;
  app.status = null;
  shown?.close?.();
  shown = null;
  shownAt = "";
  follow();
  if (may("session.read")) {
    try {
      app.status = await get("table");
    } catch (error) {
      toast(error.message, true);
    }
  }
  await draw();
}

function signInPage(problem) {
  shown?.close?.();
  shown = null;
  shownAt = "sign";
  const token = h("input", { type: "password", id: "token", autocomplete: "current-password", required: true });
  const say = h("p", { class: "breach", role: "alert" }, problem || accountProblem());
  const form = h("form", {}, h("label", { for: "token" }, t("Token")), token, h("button", { class: "main" }, t("Sign in")), say);
  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    if (!(await signIn(token.value.trim()))) {
      say.textContent = t("That token is not valid here.");
      token.select();
    }
  });
  replace(document.getElementById("main"), h("div", { class: "sign panel" }, h("h1", {}, t("Sign in")),
    h("p", { class: "soft" }, t("A token says who you are and what you may see. The person running Glyphoxa makes one with glyphoxa mcp token NAME; glyphoxa play --console prints a link that needs none.")), form,
    service && h("div", { class: "elsewhere" }, h("p", { class: "soft" }, t("If you run games on {service}, you can sign in with it and need no token.", { service })), h("a", { class: "button", href: "/console/account" }, t("Sign in with {service}", { service })))));
  drawFrame();
  if (!service) token.focus();
}

// What became of signing in with an account stands behind the #.
function accountProblem() {
  switch (cameBack) {
    case "account-refused": return t("You did not agree, so you are not signed in.");
    case "account-late": return t("That took too long, or started in another browser. Try again.");
    case "account-failed": return t("{service} could not confirm who you are. Try again later.", { service });
  }
  return "";
}

async function signIn(token) {
  try {
    await post("signin", { token });
    await start();
    return true;
  } catch {
    return false;
  }
}

async function signOut() {
  await post("signout", {});
  await start();
}

let again = 0; // asks anew, while there is no table

async function start() {
  clearTimeout(again);
  stream?.close();
  try {
    here.me = await get("me");
    service = here.me.service;
  } catch (error) {
    here.me = null;
    service = error.service ?? service;
    if (error.status === 0) {
      connection = "lost";
      drawFrame();
      setTimeout(start, 3000);
      return;
    }
    signInPage(error.status === 401 ? "" : error.message);
    return;
  }
  if (!here.me.rooms.some((r) => r.id === here.room)) here.room = here.me.rooms[0]?.id ?? "home";
  await enter(here.room);
  if (here.me.rooms.length === 0) again = setTimeout(start, 10_000);
  if (accountProblem()) signInPage();
  cameBack = "";
}

addEventListener("hashchange", () => here.me && location.hash.startsWith("#/") && draw());
document.getElementById("skip").addEventListener("click", (e) => {
  e.preventDefault();
  document.getElementById("main").focus();
});

// A link that was printed for who started the program has its token behind the #, which no
// server is sent; it is gone from the address at once.
const given = /^#([A-Z0-9]{20,})$/.exec(location.hash)?.[1];
if (given || cameBack) history.replaceState(null, "", "/");
drawFrame();
if (!given || !(await signIn(given))) await start();
