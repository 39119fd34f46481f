// Runs tables of LiveKit Agents at once with OpenAI's realtime model, at an address that the
// caller chooses. It reads the plan as JSON from standard input and writes the report as one
// line of JSON to standard output:
//
//   {"url":"http://127.0.0.1:1/v1","key":"…","persona":"…","utterance":"…",
//    "tables":2,"turns":5,"hearMS":100,"periodMS":500}
//   {"first":[["1234567890", …], …]}
//
// Each turn is a typed line, its spoken answer, and the interruption of that answer. first has
// a list for each table: the time when the first frame of each answer reached the output, on
// the machine's monotonic clock, in nanoseconds.
import { initializeLogger, voice } from '@livekit/agents';
import { realtime } from '@livekit/agents-plugin-openai';
import { text } from 'node:stream/consumers';
import { Sink, tunings } from './table.mjs';

initializeLogger({ pretty: false, level: process.env.PEER_LOG || 'silent' });
const plan = JSON.parse(await text(process.stdin));
// An interrupted answer leaves a promise behind that is rejected without a reason and never
// awaited.
process.on('unhandledRejection', (reason) => {
  if (reason !== undefined) throw reason;
});
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// the rate of the service's sound, so that no conversion is needed
const rate = 24000;

class Table {
  first = [];
  #session;
  #agent;
  #sink = new Sink(rate);

  constructor(number) {
    const model = new realtime.RealtimeModel({
      baseURL: plan.url,
      apiKey: plan.key,
      model: 'gpt-realtime',
      turnDetection: null,
      inputAudioTranscription: null,
    });
    this.#session = new voice.AgentSession({ llm: model, ...tunings.tuned() });
    this.#agent = new voice.Agent({ instructions: `${plan.persona} This is table ${number}.` });
    this.#sink.news.on('first', () => this.first.push(process.hrtime.bigint().toString()));
  }

  async open() {
    this.#session.output.audio = this.#sink;
    await this.#session.start({ agent: this.#agent });
  }

  async turn() {
    const first = this.#sink.next('first');
    const answer = this.#session.generateReply({ userInput: plan.utterance });
    await first;
    await sleep(plan.hearMS);
    this.#session.interrupt();
    await answer.waitForPlayout();
  }

  async play(origin) {
    for (let i = 0; i < plan.turns; i++) {
      const until = origin + i * plan.periodMS - performance.now();
      if (until > 0) await sleep(until);
      await this.turn();
    }
  }
}

const tables = Array.from({ length: plan.tables }, (_, i) => new Table(i));
for (const table of tables) await table.open();
const origin = performance.now();
await Promise.all(tables.map((table, i) => table.play(origin + (i * plan.periodMS) / plan.tables)));
const report = { first: tables.map((table) => table.first) };
process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0));
