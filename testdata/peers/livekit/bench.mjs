// Runs tables of LiveKit Agents at once and measures each turn. It reads the plan as JSON
// from standard input and writes the report as one line of JSON to standard output:
//
//   {"tuning":"tuned","llmMS":0,"ttsMS":0,"soundMS":2000,"hearMS":100,
//    "persona":"…","utterance":"…","answer":"…",
//    "warm":[[0,150]],"restMS":500,"starts":[[0,500,1000]]}
//
// starts has a list for each table: the start of its turns, in milliseconds. A turn that is
// due while the previous one still runs starts as soon as that one ends. The warm turns come
// first and are not counted; restMS of silence follow.
import { initializeLogger } from '@livekit/agents';
import { text } from 'node:stream/consumers';
import { Table } from './table.mjs';

initializeLogger({ pretty: false, level: process.env.PEER_LOG || 'silent' });
const plan = JSON.parse(await text(process.stdin));
const mebibytes = (bytes) => bytes / (1 << 20);
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const settle = () => globalThis.gc?.(); // with --expose-gc

settle();
const baseRSS = process.memoryUsage.rss();
const tables = plan.starts.map(() => new Table(plan));
for (const table of tables) await table.open();

const samples = { first: [], waited: [], cleared: [] };
let late = 0;

async function play(table, starts, origin, keep) {
  for (const start of starts) {
    const until = origin + start - performance.now();
    if (until > 0) await sleep(until);
    else if (until < -1) late++;
    const turn = await table.turn();
    if (keep) for (const kind in samples) samples[kind].push(turn[kind]);
  }
}

const all = (starts, keep) => {
  const origin = performance.now();
  return Promise.all(tables.map((table, i) => play(table, starts[i], origin, keep)));
};

await all(plan.warm, false);
await sleep(plan.restMS);
settle();
late = 0;
const began = performance.now();
const before = process.cpuUsage();
await all(plan.starts, true);
const cpu = process.cpuUsage(before);
const wallS = (performance.now() - began) / 1000;
const rss = process.memoryUsage.rss();
settle();

const report = {
  ...samples,
  late,
  wallS,
  cpuS: (cpu.user + cpu.system) / 1e6,
  baseMB: mebibytes(baseRSS),
  rssMB: mebibytes(rss),
  heapMB: mebibytes(process.memoryUsage().heapUsed),
};
process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0));
