// Checks shared by the tests of pages: a page may contact its own server only, must log no
// errors, and must be accessible according to axe.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// guard calls fail for a page's errors and for requests to other servers.
export function guard(page, name, link, fail, { forgives = () => false } = {}) {
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && !forgives(m.text()) && fail(`${name}: ${m.text()}`));
  page.on("pageerror", (e) => fail(`${name}: ${e.message}`));
  page.on("request", (r) => new URL(r.url()).host !== new URL(link).host && !r.url().startsWith("blob:") && fail(`${name} asks ${r.url()}`));
}

// inspect checks a page as it is, and stores a screenshot if pictures names a directory.
export async function inspect(page, name, fail, pictures) {
  if (pictures) await page.screenshot({ path: `${pictures}/${name.replace(/[ /]/g, "-")}.png` });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (wide > 0) fail(`${name}: ${wide} px too wide`);
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
  for (const v of found.violations.filter((v) => ["serious", "critical"].includes(v.impact))) fail(`${name}: ${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).slice(0, 2).join(" | ")}`);
}

// paints returns, for several loads in browsers with an empty cache, the milliseconds until
// the page first showed content.
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

// weigh returns a page's transfer size, and the time of its first content.
export const weigh = (page) => page.evaluate(() => ({
  bytes: performance.getEntriesByType("resource").filter((r) => /\.(js|css|svg)$/.test(r.name)).reduce((sum, r) => sum + r.encodedBodySize, 0) + performance.getEntriesByType("navigation")[0].encodedBodySize,
  paint: Math.round(performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? -1),
}));
