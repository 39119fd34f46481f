// Talks to a Gemini Live service through Google's own client: an answer with a tool call, an
// interrupted answer, a change of tools, an answer that calls the new one, and a session that
// is resumed in a new connection.
//
// usage: node gemini.mjs URL KEY
//
// It prints a JSON object: the messages in order, and the failures.

import { GoogleGenAI, Behavior, FunctionResponseScheduling, Modality } from "@google/genai";

const [url, key] = process.argv.slice(2);
const done = { told: [], samples: 0, handle: "", failures: [] };

const declare = (name) => ({
  name,
  description: `Does what ${name} does.`,
  behavior: Behavior.BLOCKING,
  parametersJsonSchema: { type: "object", properties: { expression: { type: "string" } } },
});
const sound = { data: Buffer.alloc(3200).toString("base64"), mimeType: "audio/pcm;rate=16000" };

// queue holds the service's messages until they are read.
function queue() {
  const waiting = [];
  const come = [];
  return {
    put: (message) => (waiting.length > 0 ? waiting.shift()(message) : come.push(message)),
    next: () => (come.length > 0 ? come.shift() : new Promise((resolve) => waiting.push(resolve))),
  };
}

// note records a message.
function note(message) {
  const content = message.serverContent;
  for (const part of content?.modelTurn?.parts ?? []) {
    done.samples += Buffer.from(part.inlineData.data, "base64").length / 2;
  }
  const words = [
    content?.inputTranscription && `heard ${content.inputTranscription.text}`,
    content?.outputTranscription && `says ${content.outputTranscription.text}`,
    content?.generationComplete && "generated",
    content?.interrupted && "interrupted",
    message.usageMetadata && `used ${message.usageMetadata.totalTokenCount}`,
    content?.turnComplete && "complete",
    message.toolCall && `calls ${message.toolCall.functionCalls.map((c) => c.name)}`,
    message.toolCallCancellation && `cancels ${message.toolCallCancellation.ids}`,
    message.goAway && `goes ${message.goAway.timeLeft}`,
  ];
  done.told.push(...words.filter(Boolean));
  done.handle = message.sessionResumptionUpdate?.newHandle ?? done.handle;
}

async function connect(handle) {
  const messages = queue();
  const ai = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } });
  const session = await ai.live.connect({
    model: "gemini-3.8-live",
    config: {
      responseModalities: [Modality.AUDIO],
      systemInstruction: "You are Bart, who keeps the inn.",
      tools: [{ functionDeclarations: [declare("roll")] }],
      inputAudioTranscription: {},
      outputAudioTranscription: {},
      realtimeInputConfig: { automaticActivityDetection: { disabled: true } },
      contextWindowCompression: { slidingWindow: {} },
      sessionResumption: handle ? { handle } : {},
      speechConfig: { languageCode: "en-US", voiceConfig: { prebuiltVoiceConfig: { voiceName: "Puck" } } },
    },
    callbacks: {
      onmessage: messages.put,
      onerror: (event) => done.failures.push(`error: ${event.message}`),
      onclose: (event) => messages.put({ closed: `${event.code} ${event.reason}` }),
    },
  });
  // until reads messages up to the expected one.
  const until = async (is) => {
    for (;;) {
      const message = await messages.next();
      if (message.closed) {
        throw new Error(`closed: ${message.closed}`);
      }
      note(message);
      if (is(message)) {
        return message;
      }
    }
  };
  return { session, until };
}

const isComplete = (message) => message.serverContent?.turnComplete;

function say(session) {
  session.sendRealtimeInput({ activityStart: {} });
  session.sendRealtimeInput({ audio: sound });
  session.sendRealtimeInput({ activityEnd: {} });
}

async function answerCalls(session, until) {
  const { toolCall } = await until((message) => message.toolCall);
  session.sendToolResponse({
    functionResponses: toolCall.functionCalls.map(({ id, name }) => ({
      id, name, response: { output: "17" }, scheduling: FunctionResponseScheduling.WHEN_IDLE,
    })),
  });
  await until(isComplete);
}

try {
  let { session, until } = await connect("");
  session.sendClientContent({ turns: [{ role: "user", parts: [{ text: "Anna: Good evening." }] }], turnComplete: false });
  say(session);
  await answerCalls(session, until);

  say(session);
  await until((message) => message.serverContent?.modelTurn);
  session.sendRealtimeInput({ activityStart: {} });
  await until(isComplete);
  session.sendRealtimeInput({ text: "Anna: Never mind." });
  session.sendRealtimeInput({ activityEnd: {} });
  await until(isComplete);

  session.sendContextUpdate({ tools: { tools: [{ functionDeclarations: [declare("look_up")] }] } });
  say(session);
  await answerCalls(session, until);
  await until((message) => message.sessionResumptionUpdate);
  session.close();

  ({ session, until } = await connect(done.handle));
  say(session);
  await until(isComplete);
  session.close();
} catch (error) {
  done.failures.push(`${error.name}: ${error.message}`);
}
console.log(JSON.stringify(done));
