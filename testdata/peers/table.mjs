// Plays at a browser table as people do: two players, one on a desktop and one on a phone, who
// speak through a microphone, hear an NPC and each other, interrupt, roll dice, reload the
// page, and leave; and a third, whose browser refuses the microphone. It prints a JSON
// object: the results, and the failures.
//
// usage: node table.mjs BROWSER LINK SPEECH [PICTURES]
//
// SPEECH is a WAV file that the microphones repeat; with PICTURES a screenshot of every state
// is stored in that directory.

import { chromium } from "playwright-core";
import { guard, inspect, paints, weigh } from "./page.mjs";
import { join, listen, loudest, hears, say } from "./guest.mjs";

const [browserPath, link, speech, pictures] = process.argv.slice(2);
const done = { failures: [], steps: [], bytes: 0, paint: [], heard: "", silence: 0, npc: 0, player: 0, cut: "", again: 0, refused: "", typed: "" };
const fail = (what) => done.failures.push(what);
const patience = 60000;

const launch = (...args) => chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--use-fake-device-for-media-stream", ...args] });
const browser = await launch("--use-fake-ui-for-media-stream", `--use-file-for-fake-audio-capture=${speech}`);

// open opens the table's link as a new guest.
async function open(browser, name, options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  guard(page, name, link, fail);
  await page.goto(link);
  await page.waitForSelector("#name");
  await inspect(page, `${name} door`, fail, pictures);
  return { page, name };
}

const lines = (page) => page.locator(".entry.line").allTextContents();
const npcLine = ".entry.line.npc";
const ended = (page, n) => page.waitForFunction(([q, n]) => document.querySelectorAll(q).length >= n && !document.querySelector(`${q}.open`), [npcLine, n]);
// said waits for words in a line of the NPC after the first n.
const said = (page, n, words) => page.waitForFunction(([q, n, words]) => [...document.querySelectorAll(`${q} .words`)].slice(n).some((x) => new RegExp(words).test(x.textContent)), [npcLine, n, words]);
const talk = (page) => page.locator(".talk");
const step = (what) => done.steps.push(what);

async function play() {
  done.paint = await paints(browser, link);
  const ana = await open(browser, "desk", { viewport: { width: 1440, height: 900 }, colorScheme: "light", locale: "en-GB" });
  const ben = await open(browser, "phone", { viewport: { width: 390, height: 844 }, colorScheme: "dark", locale: "de-DE", hasTouch: true, isMobile: true });

  // Ana speaks, and hears Bartok's answer until she stops it.
  await join(ana.page, "Ana", "open");
  done.bytes = (await weigh(ana.page)).bytes;
  done.silence = (await loudest(ana.page)).npc;
  await ana.page.waitForSelector(".entry.line:not(.npc)");
  await talk(ana.page).click(); // mutes
  await ana.page.waitForSelector(".talk[aria-pressed=false]");
  await hears(ana.page, "npc");
  await ana.page.waitForSelector(".one.speaks");
  await inspect(ana.page, "desk table", fail, pictures);
  done.npc = (await loudest(ana.page)).npc;
  await said(ana.page, 0, "[.]");
  await ana.page.click(".hush");
  await ended(ana.page, 1);
  done.heard = (await lines(ana.page)).join("\n");
  step("spoke and heard");

  // Ben joins later, sees the earlier lines, and talks over Bartok.
  await join(ben.page, "Ben", "hold");
  await ben.page.waitForSelector(npcLine);
  await ana.page.waitForFunction(() => document.querySelectorAll(".people")[1].children.length === 2);
  await say(ana.page, "Bartok, tell me what you drink!");
  await ben.page.waitForSelector(".one.speaks");
  await hears(ben.page, "npc");
  await inspect(ben.page, "phone table", fail, pictures);
  const box = await talk(ben.page).boundingBox();
  await ben.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await ben.page.mouse.down();
  await ben.page.waitForSelector(".talk.on");
  await hears(ana.page, "player");
  done.player = (await loudest(ana.page)).player;
  await said(ana.page, 1, "—$");
  done.cut = (await ana.page.locator(`${npcLine} .words`).allTextContents()).slice(1).find((x) => x.endsWith("—"));
  await ben.page.waitForFunction(() => [...document.querySelectorAll(".entry.line:not(.npc) .who")].some((x) => x.textContent === "Ben"));
  await ben.page.mouse.up();
  await ben.page.waitForSelector(".talk:not(.on)");
  step("interrupted");

  // Ben reloads the page while Bartok answers him, and keeps his seat.
  await ben.page.waitForSelector(`${npcLine}.open, .one.speaks`);
  await ben.page.reload();
  await ben.page.waitForSelector(".state-dot.on");
  await listen(ben.page);
  await hears(ben.page, "npc");
  done.again = (await loudest(ben.page)).npc;
  const players = await ana.page.locator(".people").nth(1).locator(".who").allTextContents();
  if (players.join() !== "Ana,Ben") fail(`after the page was loaded anew the players are ${players}`);
  await ben.page.click(".hush");
  step("came back");

  // Both see the dice.
  await ana.page.click(".die:nth-child(6)");
  for (const { page } of [ana, ben]) await page.waitForSelector(".entry.dice .total");
  await ben.page.locator(".leave").click();
  await ben.page.waitForSelector(".said-before");
  await ana.page.waitForFunction(() => document.querySelectorAll(".people")[1].children.length === 1);
  step("rolled and left");

  // Cara's browser refuses the microphone: she types.
  const strict = await launch("--use-fake-ui-for-media-stream=deny");
  const cara = await open(strict, "refused", { viewport: { width: 1024, height: 768 }, colorScheme: "dark", locale: "en-GB" });
  await join(cara.page, "Cara", "hold");
  done.refused = await cara.page.locator(".banner").first().textContent();
  const before = await cara.page.locator(npcLine).count();
  await say(cara.page, "Bartok, good evening!");
  await said(cara.page, before, ".");
  done.typed = (await lines(cara.page)).join("\n");
  await inspect(cara.page, "refused table", fail, pictures);
  await cara.page.click(".top-right .quiet");
  await cara.page.waitForSelector("dialog[open]");
  await inspect(cara.page, "refused settings", fail, pictures);
  await strict.close();
  step("typed");
}

await play().catch((error) => fail(`after ${done.steps.at(-1) ?? "nothing"}: ${error.message}`));
await browser.close();
console.log(JSON.stringify(done));
