// One table of LiveKit Agents without a room: the user's speech comes as finished
// transcripts, the agent's speech ends in a sink that records the time of the first frame
// and of the interruption.
import { stt, llm, tts, voice } from '@livekit/agents';
import { AudioFrame } from '@livekit/rtc-node';
import { EventEmitter } from 'node:events';
import { ReadableStream } from 'node:stream/web';

const sampleRate = 48000;
const frameSamples = 960;
const frameMS = 20;

// The nodes of the agent below replace these three, which only have to exist so that the
// session uses the nodes.
export class NoSTT extends stt.STT {
  label = 'script';
  constructor() {
    super({ streaming: true, interimResults: true, alignedTranscript: false });
  }
  async _recognize() {
    throw new Error('not used');
  }
  stream() {
    throw new Error('not used');
  }
}

export class NoLLM extends llm.LLM {
  label() {
    return 'script';
  }
  chat() {
    throw new Error('not used');
  }
}

export class NoTTS extends tts.TTS {
  label = 'script';
  constructor() {
    super(sampleRate, 1, { streaming: true, alignedTranscript: false });
  }
  synthesize() {
    throw new Error('not used');
  }
  stream() {
    throw new Error('not used');
  }
}

// Sink plays in real time without a device: it accepts frames as fast as they come, and
// reports playback like a room.
export class Sink extends voice.AudioOutput {
  news = new EventEmitter();
  capturing = false;
  captured = 0;
  startedAt = 0;
  timer = null;

  constructor(rate = sampleRate) {
    super(rate, undefined, { pause: false });
  }

  // next waits for the next event of a kind; ten seconds without one is an error.
  next(kind) {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`no ${kind} in ten seconds`)), 10_000);
      this.news.once(kind, (at) => {
        clearTimeout(late);
        resolve(at);
      });
    });
  }

  async captureFrame(frame) {
    const now = performance.now();
    super.captureFrame(frame); // counts the segment; there is nothing to await
    if (!this.capturing) {
      this.capturing = true;
      this.captured = 0;
      this.startedAt = now;
      this.news.emit('first', now);
      this.onPlaybackStarted(Date.now());
    }
    this.captured += frame.samplesPerChannel;
  }

  flush() {
    super.flush();
    if (!this.capturing || this.timer !== null) return;
    const left = (this.captured * 1000) / this.sampleRate - (performance.now() - this.startedAt);
    this.timer = setTimeout(() => this.finish(false), Math.max(0, left));
  }

  clearBuffer() {
    this.news.emit('cleared', performance.now());
    if (this.capturing) this.finish(true);
  }

  finish(interrupted) {
    clearTimeout(this.timer);
    this.timer = null;
    this.capturing = false;
    const played = Math.min(performance.now() - this.startedAt, (this.captured * 1000) / this.sampleRate);
    this.onPlaybackFinished({ playbackPosition: played / 1000, interrupted });
  }
}

// Silence is a silent microphone, for sessions that listen.
class Silence extends voice.AudioInput {
  #timer;
  #controller;

  constructor() {
    super();
    this.multiStream.addInputStream(new ReadableStream({ start: (c) => (this.#controller = c) }));
    this.#timer = setInterval(
      () => this.#controller.enqueue(new AudioFrame(new Int16Array(frameSamples), sampleRate, 1, frameSamples)),
      frameMS,
    );
  }

  async close() {
    clearInterval(this.#timer);
    this.#controller.close();
    await super.close();
  }
}

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// Scripted answers every transcript with the same sentence, after the given time, in the
// given sound.
export class Scripted extends voice.Agent {
  waited = 0; // by the model and the voice since the last transcript, in ms
  #plan;
  #finals;

  constructor(plan) {
    super({ instructions: plan.persona });
    this.#plan = plan;
  }

  async sttNode() {
    return new ReadableStream({ start: (c) => (this.#finals = c) });
  }

  // wait simulates a working provider. Timers are sometimes late, so the actual time counts.
  async #wait(ms) {
    if (ms <= 0) return;
    const from = performance.now();
    await sleep(ms);
    this.waited += performance.now() - from;
  }

  async llmNode() {
    return new ReadableStream({
      start: async (c) => {
        await this.#wait(this.#plan.llmMS);
        c.enqueue(this.#plan.answer);
        c.close();
      },
    });
  }

  async ttsNode(text) {
    return new ReadableStream({
      start: async (c) => {
        let first = true;
        for await (const _ of text) {
          if (!first) continue; // the answer is one sentence in one piece
          first = false;
          await this.#wait(this.#plan.ttsMS);
          for (let at = 0; at < this.#plan.soundMS; at += frameMS) {
            c.enqueue(new AudioFrame(new Int16Array(frameSamples), sampleRate, 1, frameSamples));
          }
        }
        c.close();
      },
    });
  }

  // final sends the final transcript, and returns the time.
  final(text) {
    const alternative = { language: 'en', text, startTime: 0, endTime: 0, confidence: 1 };
    this.waited = 0;
    const now = performance.now();
    this.#finals.enqueue({ type: stt.SpeechEventType.FINAL_TRANSCRIPT, alternatives: [alternative] });
    return now;
  }
}

// The tunings. Other settings keep the session's defaults.
export const tunings = {
  // The defaults: Silero's voice detection and the turn detector run on a silent microphone,
  // and a turn waits for its endpointing delay.
  defaults: () => ({}),
  // No delays.
  tuned: () => ({
    vad: null,
    aecWarmupDuration: null,
    userAwayTimeout: null,
    useTtsAlignedTranscript: false,
    ttsTextTransforms: null,
    turnHandling: {
      turnDetection: null,
      endpointing: { minDelay: 0, maxDelay: 0 },
      interruption: { minDuration: 0, minWords: 0, resumeFalseInterruption: false, backchannelBoundary: null },
      preemptiveGeneration: { enabled: true, preemptiveTts: true },
    },
  }),
};

export class Table {
  #plan;
  #session;
  #agent;
  #sink;

  constructor(plan) {
    this.#plan = plan;
    const tuning = tunings[plan.tuning];
    if (tuning === undefined) throw new Error(`no tuning is called ${plan.tuning}`);
    this.#session = new voice.AgentSession({ stt: new NoSTT(), llm: new NoLLM(), tts: new NoTTS(), ...tuning() });
    this.#agent = new Scripted(plan);
    this.#sink = new Sink();
  }

  async open() {
    this.#session.output.audio = this.#sink;
    if (this.#plan.tuning === 'defaults') this.#session.input.audio = new Silence();
    await this.#session.start({ agent: this.#agent });
  }

  // turn is one utterance, its answer and the interruption of that answer. It returns the
  // milliseconds from final transcript to first frame, the part of them that the providers
  // took, and those from the interruption to the emptied output.
  async turn() {
    const first = this.#sink.next('first');
    const said = this.#agent.final(this.#plan.utterance);
    const heard = await first;
    const waited = this.#agent.waited;
    await sleep(this.#plan.hearMS);
    const cleared = this.#sink.next('cleared');
    const cut = performance.now();
    const ended = this.#session.interrupt();
    const silent = await cleared;
    await ended.await;
    return { first: heard - said, waited, cleared: silent - cut };
  }

  async close() {
    await this.#session.close();
    await this.#session.input.audio?.close();
  }
}
