// Opens a table's link, joins without a microphone, greets an NPC and hears the answer.
// It prints a JSON object: the loudness of the answer, and the visible text.
//
// usage: node newcomer.mjs BROWSER LINK GREETING

import { chromium } from "playwright-core";
import { join, say, hears, loudest } from "./guest.mjs";

const [browserPath, link, greeting] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
const page = await browser.newPage();
page.setDefaultTimeout(60000);
await page.goto(link);
await join(page, "Newcomer", "none");
await say(page, greeting);
await hears(page, "npc");
await page.waitForFunction(() => [...document.querySelectorAll(".entry.npc .words")].some((x) => x.textContent !== ""));
const read = await page.locator(".entry .words").allTextContents();
const { npc } = await loudest(page);
await page.click(".leave");
await page.waitForSelector(".said-before");
await browser.close();
console.log(JSON.stringify({ npc, read }));
