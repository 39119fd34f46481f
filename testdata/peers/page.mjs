// What tests of pages share: a page may reach nobody but its own server and complain of
// nothing, and nothing may keep somebody from using it, as axe sees it.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// guard has fail told of what a page complains of, and of requests to elsewhere.
export function guard(page, name, link, fail, { forgives = () => false } = {}) {
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && !forgives(m.text()) && fail(`${name}: ${m.text()}`));
  page.on("pageerror", (e) => fail(`${name}: ${e.message}`));
  page.on("request", (r) => new URL(r.url()).host !== new URL(link).host && !r.url().startsWith("blob:") && fail(`${name} asks ${r.url()}`));
}

// inspect looks at a page as it is, and keeps a picture of it if pictures names a directory.
export async function inspect(page, name, fail, pictures) {
  if (pictures) await page.screenshot({ path: `${pictures}/${name.replace(/[ /]/g, "-")}.png` });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (wide > 0) fail(`${name}: ${wide} px too wide`);
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
  for (const v of found.violations.filter((v) => ["serious", "critical"].includes(v.impact))) fail(`${name}: ${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).slice(0, 2).join(" | ")}`);
}

// paints tells of each of some loads, by browsers that know nothing of the page, after how
// many ms the page first showed something.
export async function paints(browser, link, loads = 3) {
  const out = [];
  for (let n = 0; n < loads; n++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(link);
    await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
    out.push((await weigh(page)).paint);
    await context.close();
  }
  return out;
}

// weigh tells how large a page is on the way, and when it first showed something.
export const weigh = (page) => page.evaluate(() => ({
  bytes: performance.getEntriesByType("resource").filter((r) => /\.(js|css|svg)$/.test(r.name)).reduce((sum, r) => sum + r.encodedBodySize, 0) + performance.getEntriesByType("navigation")[0].encodedBodySize,
  paint: Math.round(performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? -1),
}));
