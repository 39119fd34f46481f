// Opens every page of the console as people do, on a desk and on a phone, in both
// languages and colours, drives it, and looks for what keeps somebody from using it with
// axe. It prints a JSON object: what was seen, and what went wrong.
//
// usage: node console.mjs BROWSER LINK [PICTURES]
//
// LINK signs in; with PICTURES a picture of every page is kept in that directory.

import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";
import { guard, inspect, weigh } from "./page.mjs";

const [browserPath, link, pictures] = process.argv.slice(2);
const done = { pages: [], failures: [], bytes: 0, paint: [], said: "", muted: "", gone: false };
const fail = (what) => done.failures.push(what);

const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
const sizes = [
  { name: "desk", viewport: { width: 1440, height: 900 }, colorScheme: "light", locale: "en-GB", heading: "Turns" },
  { name: "phone", viewport: { width: 390, height: 844 }, colorScheme: "dark", locale: "de-DE", heading: "Züge" },
];

for (const size of sizes) {
  const context = await browser.newContext(size);
  const page = await context.newPage();
  guard(page, size.name, link, fail);
  await visit(page, size).catch((error) => fail(`${size.name}: ${error.message}`));
  await context.close();
}
await browser.close();
console.log(JSON.stringify(done));

async function visit(page, size) {
  await page.goto(link);
  await page.waitForSelector(".cards .card");
  done.paint.push((await weigh(page)).paint);
  const address = page.url();
  if (address !== new URL("/", link).href) fail(`the token stays in the address: ${address}`);
  if (size.name === "desk") await lead(page);
  for (const view of ["table", "turns", "tools", "memory/people", "memory/facts", "memory/learn", "rules", "sessions", "approvals", "governor", "setup"]) {
    await page.evaluate((v) => (location.hash = `#/${v}`), view);
    await page.waitForSelector("main h1");
    await page.waitForTimeout(250);
    await drive(page, view);
    await inspect(page, `${size.name} ${view}`, fail, pictures);
    done.pages.push(`${size.name} ${view}`);
  }
  await page.evaluate(() => (location.hash = "#/turns"));
  await page.waitForFunction((h) => document.querySelector("main h1")?.textContent === h, size.heading);
  done.bytes = Math.max(done.bytes, (await weigh(page)).bytes);
}

// lead says something as a player, mutes an NPC by the keyboard and lets it speak again.
async function lead(page) {
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
  }
}

// look zooms and moves among the waterfalls, by the keyboard and the pointer.
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
