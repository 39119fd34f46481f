// Talks to a Realtime service through OpenAI's own agents: an answer with a tool call, an
// interrupted answer, a change of tools, an answer that calls the new one, and a spoken turn.
//
// usage: node realtime.mjs URL KEY
//
// It prints a JSON object: the events, the tokens used and the truncations, in order, and the
// failures.

import { OpenAIRealtimeWebSocket, RealtimeAgent, RealtimeSession, tool } from "@openai/agents/realtime";
import { z } from "zod";

const [url, key] = process.argv.slice(2);
const done = { told: [], used: [], samples: 0, history: [], failures: [] };

const use = (name) =>
  tool({
    name,
    description: `Does what ${name} does.`,
    parameters: z.object({ expression: z.string() }),
    execute: async ({ expression }) => {
      done.used.push(`${name} ${expression}`);
      return "12";
    },
  });
const innkeeper = (tools) => new RealtimeAgent({ name: "Bart", instructions: "You are Bart, who keeps the inn.", tools });

const transport = new OpenAIRealtimeWebSocket({ url: `${url.replace(/^http/, "ws")}/realtime?model=gpt-realtime` });
const session = new RealtimeSession(innkeeper([use("roll")]), { transport, model: "gpt-realtime", tracingDisabled: true });

// turns holds how each response ended until it is read.
const ended = [];
const waiting = [];
const settle = (what, value) => {
  const i = waiting.findIndex((w) => w.what === what);
  return i < 0 ? ended.push({ what, value }) : waiting.splice(i, 1)[0].resolve(value);
};
const next = (what) => {
  const i = ended.findIndex((e) => e.what === what);
  return i < 0 ? new Promise((resolve) => waiting.push({ what, resolve })) : ended.splice(i, 1)[0].value;
};

// Whether an interrupted answer is truncated depends on how much of it was heard by then, so
// only one of them is recorded.
let listening = true;
const cut = (what) => listening && done.used.push(what);

session.on("error", ({ error }) => done.failures.push(JSON.stringify(error)));
session.on("audio_interrupted", () => cut("interrupted"));
session.on("audio", ({ data }) => {
  done.samples += data.byteLength / 2;
  settle("audio");
});
transport.on("turn_done", ({ response }) => {
  done.told.push(`turn of ${response.output.length}, ${response.usage.inputTokens > 0 ? "counted" : "not counted"}`);
  settle("turn");
});
transport.on("*", (event) => {
  if (event.type === "session.updated") {
    settle("updated", event.session);
  } else if (event.type === "conversation.item.truncated") {
    cut("truncated");
    settle("truncated");
  } else if (event.type.startsWith("input_audio_buffer.speech")) {
    done.told.push(event.type);
  }
});

async function talk() {
  await session.connect({ apiKey: key });
  await next("updated");

  session.sendMessage("Do I see the thief?");
  await next("turn");
  await next("turn");

  ended.length = 0;
  const all = done.samples + 48000;
  session.sendMessage("Tell me a story.");
  while (done.samples < all) await next("audio"); // audio after an interruption does not count
  await new Promise((resolve) => setTimeout(resolve, 20)); // so that part of it is heard
  session.interrupt();
  await next("turn");
  await next("truncated");

  ended.length = 0;
  await session.updateAgent(innkeeper([use("search")]));
  done.told.push(`tools ${(await next("updated")).tools.map((t) => t.name)}`);
  session.sendMessage("Who lives here?");
  await next("turn");
  await next("turn");

  listening = false;
  const loud = new Int16Array(7200).fill(3000);
  const quiet = new Int16Array(24000);
  session.sendAudio(loud.buffer);
  session.sendAudio(quiet.buffer);
  await next("turn");
}

try {
  await talk();
} catch (error) {
  done.failures.push(`${error.name} ${error.message}`);
}
for (const item of session.history) {
  const texts = (item.content ?? []).map((c) => c.text ?? c.transcript ?? "");
  done.history.push(`${item.role ?? item.name}: ${item.output ?? texts.join(" ")}`);
}
session.close();
console.log(JSON.stringify(done));
