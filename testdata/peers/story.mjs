// Reads a stream of the console's events from stdin, has the page's own module process them,
// and prints a JSON object: the turns and notes that it keeps, in order, and the number of
// calls of each tool.
//
// usage: node story.mjs WEB < STREAM
//
// WEB is the directory with the page's modules.

import { readFileSync } from "node:fs";

const module = readFileSync(`${process.argv[2]}/turns.js`, "utf8"); // it imports nothing
const { Story } = await import(`data:text/javascript,${encodeURIComponent(module)}`);
const story = new Story();
for (const line of readFileSync(0, "utf8").split("\n")) {
  if (line.startsWith("data: {")) story.take(JSON.parse(line.slice("data: ".length)));
}
console.log(JSON.stringify({
  items: story.items.map((i) => ({ key: i.key ?? "", heard: i.heard ?? "", said: (i.said ?? []).map((x) => x.text).join(" "), begins: i.begins ?? "", erased: Boolean(i.erased), outcome: i.outcome ?? "" })),
  calls: Object.fromEntries([...story.durations].map(([tool, all]) => [tool, all.length])),
}));
