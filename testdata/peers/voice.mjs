// Joins Discord's voice channels with @discordjs/voice, like a bot made with discord.js. The
// main gateway talks to it over standard input and output, one JSON object per line.
//
// usage: NODE_EXTRA_CA_CERTS=FILE node voice.mjs
//
// Each order is {"user": ID, "do": …}; one process may serve many users.
//   join   guild, channel, dave (false: without end-to-end encryption)
//   state  data, a VOICE_STATE_UPDATE; server data, a VOICE_SERVER_UPDATE
//   play   frames: Opus in base64, 20 ms each; id
//   stop, leave, code
// and each line of output {"user": ID, "event": …}:
//   gateway payload    a message for the main gateway (opcode 4)
//   status  to         the connection's
//   packet  from, data a sound packet of another user
//   played  id, code code, transitioned id, error message, debug message

import { createCipheriv, createDecipheriv } from "node:crypto";
import { createInterface } from "node:readline";
import { registerHooks } from "node:module";
import { Readable } from "node:stream";

// The library needs one of five packages for XChaCha20. This one only has its name, and uses
// Node's ChaCha20, keyed by HChaCha20.
globalThis.XChaCha20Poly1305 = class {
  constructor(key) { this.key = key; }

  static subkey(key, nonce) {
    const words = new Uint32Array(16);
    words.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]);
    const read = (from, n, at) => {
      const view = new DataView(from.buffer, from.byteOffset, from.byteLength);
      for (let i = 0; i < n; i++) words[at + i] = view.getUint32(4 * i, true);
    };
    read(key, 8, 4);
    read(nonce, 4, 12);
    const turn = (x, n) => (x << n) | (x >>> (32 - n));
    const quarter = (a, b, c, d) => {
      words[a] += words[b]; words[d] = turn(words[d] ^ words[a], 16);
      words[c] += words[d]; words[b] = turn(words[b] ^ words[c], 12);
      words[a] += words[b]; words[d] = turn(words[d] ^ words[a], 8);
      words[c] += words[d]; words[b] = turn(words[b] ^ words[c], 7);
    };
    for (let i = 0; i < 10; i++) {
      quarter(0, 4, 8, 12); quarter(1, 5, 9, 13); quarter(2, 6, 10, 14); quarter(3, 7, 11, 15);
      quarter(0, 5, 10, 15); quarter(1, 6, 11, 12); quarter(2, 7, 8, 13); quarter(3, 4, 9, 14);
    }
    const out = Buffer.alloc(32);
    [0, 1, 2, 3, 12, 13, 14, 15].forEach((word, i) => out.writeUInt32LE(words[word], 4 * i));
    return out;
  }

  prepare(make, nonce, additional) {
    const short = Buffer.concat([Buffer.alloc(4), nonce.subarray(16, 24)]);
    const cipher = make("chacha20-poly1305", this.constructor.subkey(this.key, nonce), short, { authTagLength: 16 });
    cipher.setAAD(additional);
    return cipher;
  }

  seal(nonce, plain, additional) {
    const cipher = this.prepare(createCipheriv, nonce, additional);
    return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  }

  open(nonce, sealed, additional) {
    const cipher = this.prepare(createDecipheriv, nonce, additional);
    cipher.setAuthTag(sealed.subarray(sealed.length - 16));
    return Buffer.concat([cipher.update(sealed.subarray(0, sealed.length - 16)), cipher.final()]);
  }
};
registerHooks({
  resolve(name, context, next) {
    if (name !== "@stablelib/xchacha20poly1305") return next(name, context);
    const source = "export const XChaCha20Poly1305 = globalThis.XChaCha20Poly1305;";
    return { url: "data:text/javascript," + encodeURIComponent(source), shortCircuit: true };
  },
});

const { joinVoiceChannel, createAudioPlayer, createAudioResource, StreamType, NoSubscriberBehavior, EndBehaviorType } =
  await import("@discordjs/voice");

const users = new Map();

function report(user, event, fields = {}) {
  process.stdout.write(JSON.stringify({ user, event, ...fields }) + "\n");
}

const orders = {
  join(user, { guild, channel, dave }) {
    let u = users.get(user);
    if (u === undefined) {
      u = { user, player: createAudioPlayer({ behaviors: { noSubscriber: NoSubscriberBehavior.Play, maxMissedFrames: 1e9 } }) };
      u.player.on("error", (e) => report(user, "error", { message: `player: ${e.message}` }));
      users.set(user, u);
    }
    u.connection = joinVoiceChannel({
      guildId: guild, channelId: channel, group: user, selfDeaf: false, debug: true, daveEncryption: dave !== false,
      adapterCreator(methods) {
        u.methods = methods;
        return {
          sendPayload(payload) { report(user, "gateway", { payload }); return true; },
          destroy() {},
        };
      },
    });
    if (u.watched !== u.connection) watch(u);
    report(user, "status", { to: u.connection.state.status });
  },
  state(user, { data }) { users.get(user).methods.onVoiceStateUpdate(data); },
  server(user, { data }) { users.get(user).methods.onVoiceServerUpdate(data); },
  play(user, { frames, id }) {
    const u = users.get(user);
    const stream = Readable.from(frames.map((f) => Buffer.from(f, "base64")), { objectMode: true });
    const resource = createAudioResource(stream, { inputType: StreamType.Opus });
    const ended = (before, now) => {
      if (now.status === "idle") {
        u.player.off("stateChange", ended);
        report(user, "played", { id });
      }
    };
    u.player.play(resource);
    u.player.on("stateChange", ended);
  },
  stop(user) { users.get(user).player.stop(true); },
  leave(user) { users.get(user).connection.destroy(); },
  code(user) { report(user, "code", { code: users.get(user).connection.voicePrivacyCode ?? "" }); },
};

// watch reports the events of a new connection.
function watch(u) {
  const { connection, user } = u;
  u.watched = connection;
  connection.subscribe(u.player);
  connection.on("stateChange", (before, now) => {
    if (before.status !== now.status) report(user, "status", { to: now.status, reason: now.closeCode ?? 0 });
  });
  connection.on("error", (e) => report(user, "error", { message: e.message }));
  connection.on("transitioned", (id) => report(user, "transitioned", { id }));
  connection.on("debug", (message) => {
    if (message.includes("[DAVE]")) report(user, "debug", { message });
  });
  connection.receiver.speaking.on("start", (from) => {
    if (connection.receiver.subscriptions.has(from)) return;
    const stream = connection.receiver.subscribe(from, { end: { behavior: EndBehaviorType.Manual } });
    stream.on("data", (packet) => report(user, "packet", { from, data: packet.toString("base64") }));
    stream.on("error", (e) => report(user, "error", { message: `hearing ${from}: ${e.message}` }));
  });
}

process.on("uncaughtException", (e) => report("", "error", { message: e.stack }));
createInterface({ input: process.stdin })
  .on("line", (line) => {
    const order = JSON.parse(line);
    try {
      orders[order.do](order.user, order);
    } catch (e) {
      report(order.user, "error", { message: `${order.do}: ${e.stack}` });
    }
  })
  .on("close", () => process.exit(0));
report("", "ready");
