// Runs one table of LiveKit Agents where a user speaks into a microphone: a question, and a
// line over its answer. It reads the plan as JSON from standard input and writes the report
// as one line of JSON to standard output:
//
//   {"tuning":"tuned","interimMS":150,"finalMS":350,"llmMS":200,"ttsMS":75,"soundMS":6000,
//    "hearMS":1000,"restMS":1000,"persona":"…","answer":"…","turns":15,
//    "question":{"file":"…","text":"…","begin":3,"end":70},"interruption":{…}}
//   {"first":[500.1, …],"last":[550.2, …],"late":0}
//
// The files hold frames of 20 ms, 16 bits at 48 kHz; begin and end are the frames in which the
// voice begins and ends. first is the time from the last frame of the question's voice to the
// first frame of the answer; last is the time from the first frame of the voice over the
// answer to the last frame of that answer which a device would have started to play.
import { initializeLogger, inference, stt, voice } from '@livekit/agents';
import { AudioFrame } from '@livekit/rtc-node';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { ReadableStream } from 'node:stream/web';
import { NoLLM, NoSTT, NoTTS, Scripted, Sink } from './table.mjs';

initializeLogger({ pretty: false, level: process.env.PEER_LOG || 'silent' });
const plan = JSON.parse(await text(process.stdin));
const rate = 48000;
const samples = 960;
const frameMS = 20;
const [lateFrame, starvedFrame] = [10, 60];
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// Microphone is a microphone that sends all the time, with speech now and then.
class Microphone extends voice.AudioInput {
  late = 0;
  #controller;
  #queue = [];
  #began = performance.now();
  #brought = 0;

  constructor() {
    super();
    this.multiStream.addInputStream(new ReadableStream({ start: (c) => (this.#controller = c) }));
    this.#bring();
  }

  // say plays a clip. The promises resolve to the times at which the first and last frames of
  // its voice were received.
  say(clip) {
    const raw = readFileSync(clip.file);
    const at = {};
    const begun = new Promise((done) => (at[clip.begin] = done));
    const over = new Promise((done) => (at[clip.end] = done));
    for (let k = 0; (k + 1) * samples * 2 <= raw.length; k++) {
      const frame = new Int16Array(samples);
      for (let i = 0; i < samples; i++) frame[i] = raw.readInt16LE((k * samples + i) * 2);
      this.#queue.push({ frame, heard: at[k] });
    }
    return { begun, over };
  }

  // bring sends the frames that are due.
  #bring() {
    for (;;) {
      const due = this.#began + this.#brought * frameMS;
      const now = performance.now();
      if (now < due) {
        setTimeout(() => this.#bring(), due - now);
        return;
      }
      if (now - due > starvedFrame) {
        process.stderr.write('this machine has no time for the player\n', () => process.exit(1));
        return;
      }
      if (now - due > lateFrame) this.late++;
      const { frame, heard } = this.#queue.shift() ?? { frame: new Int16Array(samples) };
      for (let i = 0; i < samples; i++) frame[i] += Math.floor(Math.random() * 41) - 20;
      this.#controller.enqueue(new AudioFrame(frame, rate, 1, samples));
      this.#brought++;
      heard?.(now);
    }
  }
}

// Listener recognises each clip once its voice has ended, as an interim and as a final
// transcript.
class Listener extends Scripted {
  #finals;

  async sttNode(audio) {
    (async () => {
      for await (const _ of audio); // the audio is read, but recognition does not need it
    })();
    return new ReadableStream({ start: (c) => (this.#finals = c) });
  }

  async understand(words) {
    const alternative = { language: 'en', text: words, startTime: 0, endTime: 0, confidence: 1 };
    const tell = async (type, ms) => {
      if (ms > 0) await sleep(ms);
      this.#finals.enqueue({ type, alternatives: [alternative] });
    };
    await Promise.all([
      tell(stt.SpeechEventType.INTERIM_TRANSCRIPT, plan.interimMS),
      tell(stt.SpeechEventType.FINAL_TRANSCRIPT, plan.finalMS),
    ]);
  }
}

const tunings = {
  // The defaults, with its own Silero and turn detector.
  defaults: () => ({}),
  // As fast as ours may be: the same minimum silence, no further wait after it, speech
  // generated ahead, and the default interruption after half a second of voice.
  tuned: () => ({
    vad: new inference.VAD({ model: 'silero', minSilenceDuration: 180 }),
    aecWarmupDuration: null,
    userAwayTimeout: null,
    useTtsAlignedTranscript: false,
    ttsTextTransforms: null,
    turnHandling: {
      turnDetection: 'vad',
      endpointing: { minDelay: 0, maxDelay: 3000 },
      interruption: { mode: 'vad', minDuration: 500, backchannelBoundary: null },
      preemptiveGeneration: { enabled: true, preemptiveTts: true },
    },
  }),
};

const session = new voice.AgentSession({ stt: new NoSTT(), llm: new NoLLM(), tts: new NoTTS(), ...tunings[plan.tuning]() });
const agent = new Listener(plan);
const sink = new Sink();
const microphone = new Microphone();
session.output.audio = sink;
session.input.audio = microphone;
await session.start({ agent });

// turn is a question, a line over its answer, and the answer to that line, which is cut off.
async function turn() {
  const first = sink.next('first');
  const question = microphone.say(plan.question);
  const ended = await question.over;
  agent.understand(plan.question.text);
  const heard = await first;
  await sleep(plan.hearMS);
  const cleared = sink.next('cleared');
  const second = sink.next('first');
  const over = microphone.say(plan.interruption);
  const understood = over.over.then(() => agent.understand(plan.interruption.text));
  const begun = await over.begun;
  const silent = await cleared;
  await understood;
  await second;
  await sleep(3 * frameMS);
  await session.interrupt().await;
  return { first: heard - ended, last: heard + Math.floor((silent - heard) / frameMS) * frameMS - begun };
}

const report = { first: [], last: [] };
for (let n = 0; n <= plan.turns; n++) {
  await sleep(plan.restMS);
  const { first, last } = await turn();
  if (n === 0) continue; // the first turn is a warm-up
  report.first.push(first);
  report.last.push(last);
}
report.late = microphone.late;
process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0));
