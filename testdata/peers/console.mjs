// Opens every page of the console on a desktop and on a phone, in both languages and colour
// schemes, uses it, and checks its accessibility with axe. It prints a JSON object: the
// contents seen, and the failures.
//
// usage: node console.mjs BROWSER LINK LEAD GUEST [PICTURES]
//
// LINK signs in, and so does the token LEAD, which may give orders; calls of the tool roll by
// the token GUEST wait for approval. With PICTURES a screenshot of every page is stored in
// that directory.

import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";
import { guard, inspect, paints, weigh } from "./page.mjs";

const [browserPath, link, leadToken, guestToken, pictures] = process.argv.slice(2);
const done = { pages: [], failures: [], bytes: 0, paint: [], said: "", muted: "", card: "", signed: "" };
const fail = (what) => done.failures.push(what);

let forgiven; // the complaint expected from the browser
// A browser that waits for ten seconds loses its event stream, and reconnects.
const lost = /ERR_INCOMPLETE_CHUNKED_ENCODING/;

const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
const sizes = [
  { name: "desk", viewport: { width: 1440, height: 900 }, colorScheme: "light", locale: "en-GB", heading: "Turns" },
  { name: "phone", viewport: { width: 390, height: 844 }, colorScheme: "dark", locale: "de-DE", heading: "Züge" },
];

done.paint = await paints(browser, link);
for (const size of sizes) {
  const context = await browser.newContext(size);
  const page = await context.newPage();
  guard(page, size.name, link, fail, { forgives: (text) => forgiven?.test(text) || lost.test(text) });
  await visit(page, size).catch((error) => fail(`${size.name}: ${error.message}`));
  await context.close();
}
await browser.close();
console.log(JSON.stringify(done));

async function visit(page, size) {
  await page.goto(link);
  await page.waitForSelector(".cards .card");
  const address = page.url();
  if (address !== new URL("/", link).href) fail(`the token stays in the address: ${address}`);
  if (size.name === "desk") await play(page);
  for (const view of ["table", "turns", "tools", "memory/people", "memory/facts", "memory/learn", "rules", "sessions", "approvals", "governor", "setup"]) {
    await page.evaluate((v) => (location.hash = `#/${v}`), view);
    await page.waitForSelector("main h1");
    await page.waitForTimeout(250);
    await drive(page, view);
    await inspect(page, `${size.name} ${view}`, fail, pictures);
    if (size.name === "desk") await lead(page, view);
    done.pages.push(`${size.name} ${view}`);
  }
  await page.evaluate(() => (location.hash = "#/turns"));
  await page.waitForFunction((h) => document.querySelector("main h1")?.textContent === h, size.heading);
  done.bytes = Math.max(done.bytes, (await weigh(page)).bytes);
  if (size.name === "desk") await signInAnew(page);
}

// play says a line as a player, mutes an NPC by keyboard and unmutes it.
async function play(page) {
  await page.fill(".speak input:not(.name)", "Bartok, good evening");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".turn .who:not(.soft)");
  await page.waitForSelector(".why a");
  done.said = await page.textContent(".log");
  const mute = page.locator(".card button[aria-pressed]").first();
  await mute.focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector(".card.muted");
  done.muted = await mute.textContent();
  await page.keyboard.press("Space");
  await page.waitForSelector(".card:not(.muted)");
  await page.keyboard.press("Tab");
  await page.fill(".speak input:not(.name)", "Bartok, what is new?");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll(".turn .why a").length === 2);
  const card = page.locator(".card").first();
  await card.locator("summary").press("Enter");
  await card.locator('input[aria-label="Direct"]').fill("lie about the key");
  await page.keyboard.press("Enter");
  await card.getByText("lie about the key").waitFor();
  await card.getByRole("button", { name: "Raise" }).click();
  await card.getByText("raised to deep").waitFor();
  done.card = await card.textContent();
  const offered = await card.locator('input[aria-label="Voice"]').evaluate((input) => input.list?.options.length ?? -1);
  if (!(offered > 0)) fail(`${offered} voices are offered`);
}

// lead tests in a view the controls for leaders only, and the links out of the view.
async function lead(page, view) {
  if (view === "memory/facts") {
    await page.fill("main form input", "good evening");
    await page.keyboard.press("Enter");
    await page.getByText("Bartok, good evening").first().waitFor();
    await page.locator('main .list li:has-text("Bartok, good evening") a').last().click();
    const found = await page.waitForSelector(".line.found");
    if (!(await found.textContent()).includes("Bartok, good evening")) fail(`a fact leads to ${await found.textContent()}`);
  }
  if (view === "approvals") {
    const roll = () => fetch(new URL("/console/call?room=home", link), { method: "POST", headers: { Authorization: `Bearer ${guestToken}` }, body: JSON.stringify({ tool: "roll", args: '{"expression":"1d6"}' }) });
    if ((await roll()).status !== 403) fail("a call that takes approval is made without");
    await page.waitForSelector("nav .badge");
    await page.locator(".list li", { hasText: "guest" }).getByRole("button", { name: "Allow" }).click();
    await page.getByText("allowed, this once").waitFor();
    await page.waitForSelector("nav .badge", { state: "detached" });
    if ((await roll()).status !== 200) fail("a call that was granted is refused");
    await page.getByRole("button", { name: "Show" }).click();
    await page.locator("td", { hasText: "console_raise" }).waitFor();
  }
}

// signInAnew signs out, tries an invalid token, and signs in again.
async function signInAnew(page) {
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.locator("#foot").getByRole("button", { name: "Sign in" }).click();
  const form = page.locator(".sign form");
  await form.locator("input").fill("guess");
  forgiven = /401/;
  await page.keyboard.press("Enter");
  await page.getByText("not valid here").waitFor();
  await form.locator("input").fill(leadToken);
  await page.keyboard.press("Enter");
  await page.locator(".who-am-i", { hasText: "lead" }).waitFor();
  done.signed = await page.textContent(".who-am-i");
}

async function drive(page, view) {
  if (view === "tools") await page.locator(".tool-row .hit").first().press("Enter");
  if (view === "memory/people") await page.locator(".node").first().press("Enter");
  if (view === "memory/facts" || view === "rules") {
    await page.fill("main form input", view === "rules" ? "How does grappling work?" : "bell");
    await page.keyboard.press("Enter");
    await page.waitForSelector("main .list li");
  }
  if (view === "sessions") {
    await page.locator("main .head button").click();
    await page.waitForSelector("main .panel .said");
  }
  if (view === "turns") {
    const [file] = await Promise.all([page.waitForEvent("download"), page.locator(".head button").last().click()]);
    const text = readFileSync(await file.path(), "utf8");
    if (!(JSON.parse(text).traceEvents.length > 2)) fail("the trace is empty");
    await look(page);
    await page.locator(".fall .hit").last().press("Shift+Enter");
    const beside = await page.locator(".half h3").last().textContent();
    if (!/^(Turn 2 beside turn 1|Zug 2 neben Zug 1)$/.test(beside)) fail(`two turns are compared as ${beside}`);
  }
}

// look zooms and moves among the waterfalls, by keyboard and pointer.
async function look(page) {
  const part = () => page.evaluate(() => document.querySelector(".fall svg").getAttribute("viewBox"));
  const changes = async (what, act) => {
    const before = await part();
    await act();
    if ((await part()) === before) fail(`${what} shows the same part: ${before}`);
  };
  const whole = await part();
  await changes("the button", () => page.locator(".head button").nth(1).click());
  await page.locator(".fall .hit").first().focus();
  await changes("+", () => page.keyboard.press("+"));
  await changes("→", () => page.keyboard.press("ArrowRight"));
  const chart = await page.locator(".falls").first().boundingBox();
  await changes("dragging", async () => {
    await page.mouse.move(chart.x + chart.width * 0.6, chart.y + 30);
    await page.mouse.down();
    await page.mouse.move(chart.x + chart.width * 0.5, chart.y + 30, { steps: 4 });
    await page.mouse.up();
  });
  await page.locator(".fall .hit").first().focus();
  await page.keyboard.press("0");
  if ((await part()) !== whole) fail(`0 shows ${await part()}, not the whole ${whole}`);
  await changes("+ twice", () => page.keyboard.press("+").then(() => page.keyboard.press("+")));
}
