// What the events of a table add up to: turns, and what was said outside of them.

const most = 400; // turns and notes that are kept
const mostCalls = 480; // of a tool, whose durations are kept
const mostTools = 1000;
const mostSessions = 100;

export class Story {
  constructor() {
    this.items = []; // turns and notes, in the order they began
    this.byKey = new Map();
    this.waiting = new Map(); // calls that wait, by id
    this.listeners = new Set();
    this.durations = new Map(); // of the latest calls of each tool, in ms
    this.sessions = []; // whose events have come, the latest last
  }

  turn(e) {
    const key = e.session ? `${encodeURIComponent(e.session)}/${e.turn}` : String(e.turn);
    let one = this.byKey.get(key);
    if (!one) {
      one = { kind: "turn", key, turn: e.turn, at: e.time, calls: [], said: [], steps: [], guarded: [], whisper: e.whisper };
      this.byKey.set(key, one);
      this.push(one);
    }
    return one;
  }

  push(item) {
    this.items.push(item);
    while (this.items.length > most) {
      const gone = this.items.shift();
      if (gone.kind === "turn") this.byKey.delete(gone.key);
    }
  }

  note(e, level, text, more) {
    this.push({ kind: "note", at: e.time, level, text, ...more });
  }

  gap(missed) {
    this.push({ kind: "note", level: "gap", missed, at: new Date().toISOString() });
    this.tell({ kind: "gap" });
  }

  take(e) {
    if (e.session && !this.sessions.includes(e.session)) this.begin(e);
    const change = changes[e.kind];
    if (change) change(this, e);
    this.tell(e);
  }

  // begin takes in that a session has begun. Turns of the one before may still end.
  begin(e) {
    if (this.sessions.push(e.session) === 1) return;
    if (this.sessions.length > mostSessions) this.sessions.shift();
    this.durations.clear();
    this.note(e, "info", "", { begins: e.session });
    this.tell({ kind: "session" });
  }

  tell(e) {
    for (const l of this.listeners) l(e);
  }

  took(tool, ms) {
    if (!this.durations.has(tool)) {
      if (this.durations.size >= mostTools) return;
      this.durations.set(tool, []);
    }
    const all = this.durations.get(tool);
    if (all.push(ms) > mostCalls) all.shift();
  }

  // ended are the turns that are over and were answered, the newest first.
  ended() {
    return this.items.filter((i) => i.kind === "turn" && i.ledger && i.npc).reverse();
  }
}

const changes = {
  utterance: (s, e) => Object.assign(s.turn(e), { speaker: e.speaker, heard: e.text, spoken: e.spoken }),
  "turn.started": (s, e) => Object.assign(s.turn(e), { npc: e.npc, route: e.route, tier: e.tier, ceiling: e.ceiling, reason: e.reason, tools: e.tools, mayDecline: e.may_decline, again: e.again, startedAt: e.time }),
  "tool.called": (s, e) => s.turn(e).calls.push({ tool: e.tool, args: e.args, round: e.round, at: e.time }),
  "tool.finished": (s, e) => {
    const c = s.turn(e).calls.find((c) => c.tool === e.tool && c.ms === undefined) ?? s.turn(e).calls[s.turn(e).calls.push({ tool: e.tool, at: e.time }) - 1];
    Object.assign(c, { ms: e.ms, ok: e.ok, cached: e.cached, error: e.error, endedAt: e.time });
    if (e.ok && !e.cached) s.took(e.tool, e.ms);
  },
  sentence: (s, e) => speak(s, e, ""),
  "sentence.cut": (s, e) => speak(s, e, "cut"),
  filler: (s, e) => speak(s, e, "stock"),
  "audio.started": (s, e) => (s.turn(e).soundAt = e.time),
  barge: (s, e) => (s.turn(e).barged = e.speaker),
  policy: (s, e) => s.turn(e).steps.push(e),
  guarded: (s, e) => s.turn(e).guarded.push(e.reason),
  unsaid: (s, e) => (s.turn(e).unsaid = true),
  erased: (s, e) => Object.assign(s.turn(e), { erased: true, said: [] }),
  "turn.ended": (s, e) => {
    const one = s.turn(e);
    Object.assign(one, { npc: one.npc ?? e.npc, outcome: e.outcome, ledger: e.ledger, ended: e.time });
    if (one.said.length === 0 && e.text && !one.erased) one.said.push({ text: e.text });
  },
  tier: (s, e) => s.note(e, "info", "", { tier: e }),
  listening: (s, e) => s.note(e, "info", "", { listening: e.listening }),
  cost: (s, e) => s.note(e, "warning", "", { cost: e }),
  "spoken.order": (s, e) => s.note(e, "info", "", { spoken: e }),
  "approval.waits": (s, e) => s.waiting.set(e.id, e),
  "approval.ended": (s, e) => s.waiting.delete(e.id),
  notice: (s, e) => s.note(e, e.level, e.text),
};

function speak(s, e, how) {
  const one = s.turn(e);
  one.npc ??= e.npc;
  one.said.push({ text: e.text, how });
}

// stages are the parts of a turn in order, from the ledger: each with where it begins and
// how long it took, in ms from the end of the player's speech.
export function stages(turn) {
  const l = turn.ledger;
  const out = [];
  let at = 0;
  const add = (name, length) => {
    if (length > 0) out.push({ name, at, length });
    at += Math.max(length, 0);
  };
  add("endpoint", l.endpoint_ms);
  add("stt", l.stt_final_ms);
  add("route", l.route_us / 1000);
  const parts = l.context_ms + l.llm_first_token_ms + (l.llm_first_sentence_ms ?? 0) + l.tool_ms + l.tts_first_audio_ms + (l.floor_ms ?? 0);
  const waited = l.first_substance_ms - at - parts;
  if (waited > 5 && l.begin_ms > at + 5) add("queue", Math.min(waited, l.begin_ms - at));
  add("context", l.context_ms);
  add("llm", l.llm_first_token_ms);
  add("tool", l.tool_ms);
  add("writing", l.llm_first_sentence_ms ?? 0);
  add("tts", l.tts_first_audio_ms);
  add("floor", l.floor_ms ?? 0);
  add("rest", l.total_ms - at);
  return out;
}

// history are the median and the 99th percentile of durations in at most so many parts of
// them, from the oldest to the newest.
export function history(durations, parts) {
  const length = Math.max(1, Math.ceil(durations.length / parts));
  const out = [];
  for (let i = 0; i < durations.length; i += length) {
    const part = durations.slice(i, i + length).sort((a, b) => a - b);
    const at = (share) => part[Math.min(part.length - 1, Math.ceil(share * part.length) - 1)];
    out.push({ p50: at(0.5), p99: at(0.99) });
  }
  return out;
}

// trace is turns in the JSON format of Perfetto and chrome://tracing: a track for each
// stage of each NPC, since events of one track must not overlap.
export function trace(turns) {
  const events = [];
  const tracks = new Map();
  const track = (npc, stage) => {
    const key = `${npc}\u0000${stage}`;
    if (!tracks.has(key)) {
      tracks.set(key, tracks.size + 1);
      events.push({ ph: "M", pid: 1, tid: tracks.size, name: "thread_name", args: { name: `${npc}: ${stage}` } });
      events.push({ ph: "M", pid: 1, tid: tracks.size, name: "thread_sort_index", args: { sort_index: tracks.size } });
    }
    return tracks.get(key);
  };
  events.push({ ph: "M", pid: 1, name: "process_name", args: { name: "Glyphoxa" } });
  for (const turn of [...turns].reverse()) {
    const zero = Date.parse(turn.ended) * 1000 - turn.ledger.total_ms * 1000;
    const put = (stage, name, ts, dur, args) => events.push({ ph: "X", pid: 1, tid: track(turn.npc, stage), ts: Math.round(ts), dur: Math.max(1, Math.round(dur)), name, cat: stage, args });
    put("turn", `turn ${turn.turn}`, zero, turn.ledger.total_ms * 1000, { key: turn.key, npc: turn.npc, tier: turn.tier, route: turn.route, outcome: turn.outcome, ledger: turn.ledger });
    for (const st of stages(turn)) put(st.name, st.name, zero + st.at * 1000, st.length * 1000, { turn: turn.turn });
    turn.calls.forEach((c, i) => c.ms !== undefined && put(`tool ${i + 1}`, c.tool, Date.parse(c.at) * 1000, c.ms * 1000, { turn: turn.turn, ok: c.ok, cached: c.cached }));
  }
  return JSON.stringify({ displayTimeUnit: "ms", traceEvents: events });
}
