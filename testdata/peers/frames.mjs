// Watches a table in the console for some seconds in each view, with the browser's own trace,
// and prints a JSON list: for each view the intervals between frames, and the work of the
// page's main thread for them.
//
// usage: node frames.mjs BROWSER LINK SECONDS

import { chromium } from "playwright-core";

const [browserPath, link, seconds] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
await page.goto(link);
await page.waitForSelector(".cards .card");
const out = [];
for (const [view, ready] of [["table", ".turn .why a"], ["turns", ".fall"], ["tools", ".tool-row"]]) {
  await page.evaluate((v) => (location.hash = `#/${v}`), view);
  await page.waitForSelector(ready);
  if (view === "tools") await page.locator('.tool-row .hit[aria-label^="roll"]').first().press("Enter");
  await page.waitForTimeout(1500);
  out.push({ view, ...(await watch()) });
  if (view === "tools") await page.waitForSelector(".spark"); // its calls came while the view was open
}
await browser.close();
console.log(JSON.stringify(out));

async function watch() {
  const session = await browser.newBrowserCDPSession();
  const events = [];
  session.on("Tracing.dataCollected", (e) => events.push(...e.value));
  const complete = new Promise((done) => session.once("Tracing.tracingComplete", done));
  await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline", "disabled-by-default-devtools.timeline.frame"] } });
  const deltas = await page.evaluate((s) => new Promise((done) => {
    const deltas = [];
    const begin = performance.now();
    let last = 0;
    requestAnimationFrame(function frame(now) {
      if (last) deltas.push(now - last);
      last = now;
      if (performance.now() - begin < s * 1000) requestAnimationFrame(frame);
      else done(deltas);
    });
  }), Number(seconds));
  const elements = await page.evaluate(() => document.querySelectorAll("*").length);
  await session.send("Tracing.end");
  await complete;
  await session.detach();
  return { elements, ...frames(deltas), ...tasks(events) };
}

function at(sorted, share) {
  return sorted.length === 0 ? 0 : Math.round(sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] * 100) / 100;
}

function frames(deltas) {
  const sorted = [...deltas].sort((a, b) => a - b);
  const due = deltas.reduce((sum, d) => sum + d, 0) * 60 / 1000;
  return { frames: deltas.length, share: Math.round(1000 * deltas.length / due) / 1000, p50: at(sorted, 0.5), p99: at(sorted, 0.99), most: at(sorted, 1) };
}

// tasks lists the main thread's longest tasks, in ms of wall-clock and of processor time; the
// second does not depend on other load on the machine.
function tasks(events) {
  const main = new Map();
  for (const e of events) {
    if (e.ph !== "X" || !e.name.endsWith("RunTask")) continue;
    const key = `${e.pid}/${e.tid}`;
    if (!main.has(key)) main.set(key, []);
    main.get(key).push(e);
  }
  const names = new Set(events.filter((e) => e.name === "thread_name" && e.args.name === "CrRendererMain").map((e) => `${e.pid}/${e.tid}`));
  const busiest = [...main].filter(([key]) => names.has(key)).map(([, all]) => all).sort((a, b) => b.length - a.length)[0] ?? [];
  const wall = busiest.map((e) => e.dur / 1000).sort((a, b) => a - b);
  const cpu = busiest.map((e) => (e.tdur ?? e.dur) / 1000).sort((a, b) => a - b);
  return {
    tasks: busiest.length, long: wall.filter((d) => d > 50).length, overFrame: cpu.filter((d) => d > 1000 / 60).length,
    taskWall: at(wall, 1), taskCPU: at(cpu, 1), taskCPU99: at(cpu, 0.99), busy: Math.round(cpu.reduce((sum, d) => sum + d, 0)),
    dropped: events.filter((e) => e.name === "DroppedFrame").length,
  };
}
