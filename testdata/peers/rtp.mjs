// Encrypts and decrypts Discord's sound packets, and discovers its own address, as
// @discordjs/voice does. That library leaves XChaCha20 to another one; here it is built from
// Node's ChaCha20 and the HChaCha20 of its draft.
//
// usage: node rtp.mjs PORT < WORK
//
// WORK is a JSON object: key and packets, all in hex. A voice server answers on PORT of
// 127.0.0.1. It prints a JSON object.

import { readFileSync } from "node:fs";
import crypto from "node:crypto";
import * as voice from "@discordjs/voice";

const gcm = "aead_aes256_gcm_rtpsize";
const xchacha = "aead_xchacha20_poly1305_rtpsize";
const work = JSON.parse(readFileSync(0, "utf8"));
const key = Buffer.from(work.key, "hex");

const rotate = (v, n) => ((v << n) | (v >>> (32 - n))) >>> 0;

function hchacha(key, nonce) {
  const x = new Uint32Array(16);
  x.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]);
  for (let i = 0; i < 8; i++) x[4 + i] = key.readUInt32LE(4 * i);
  for (let i = 0; i < 4; i++) x[12 + i] = nonce.readUInt32LE(4 * i);
  const quarter = (a, b, c, d) => {
    x[a] += x[b]; x[d] = rotate(x[d] ^ x[a], 16);
    x[c] += x[d]; x[b] = rotate(x[b] ^ x[c], 12);
    x[a] += x[b]; x[d] = rotate(x[d] ^ x[a], 8);
    x[c] += x[d]; x[b] = rotate(x[b] ^ x[c], 7);
  };
  for (let i = 0; i < 10; i++) {
    quarter(0, 4, 8, 12); quarter(1, 5, 9, 13); quarter(2, 6, 10, 14); quarter(3, 7, 11, 15);
    quarter(0, 5, 10, 15); quarter(1, 6, 11, 12); quarter(2, 7, 8, 13); quarter(3, 4, 9, 14);
  }
  const out = Buffer.alloc(32);
  [0, 1, 2, 3, 12, 13, 14, 15].forEach((from, to) => out.writeUInt32LE(x[from], 4 * to));
  return out;
}

// cipher returns an encrypting or decrypting function with a counter.
function cipher(mode, make, counter) {
  if (mode === gcm) {
    return make("aes-256-gcm", key, Buffer.concat([counter, Buffer.alloc(8)]));
  }
  const nonce = Buffer.concat([counter, Buffer.alloc(20)]);
  const inner = Buffer.concat([Buffer.alloc(4), nonce.subarray(16)]);
  return make("chacha20-poly1305", hchacha(key, nonce.subarray(0, 16)), inner, { authTagLength: 16 });
}

function seal(mode, { clear, body }, n) {
  const head = Buffer.from(clear, "hex");
  const counter = Buffer.alloc(4);
  counter.writeUInt32BE(n);
  const c = cipher(mode, crypto.createCipheriv, counter).setAAD(head);
  return Buffer.concat([head, c.update(Buffer.from(body, "hex")), c.final(), c.getAuthTag(), counter]).toString("hex");
}

function open(mode, { packet, clear }) {
  const p = Buffer.from(packet, "hex");
  const tag = p.length - 20;
  const c = cipher(mode, crypto.createDecipheriv, p.subarray(tag + 16)).setAAD(p.subarray(0, clear)).setAuthTag(p.subarray(tag, tag + 16));
  return Buffer.concat([c.update(p.subarray(clear, tag)), c.final()]).toString("hex");
}

// The client of @discordjs/voice, without its connection.
const connection = {
  sequence: 7, timestamp: 960, ssrc: 42, nonce: 99, nonceBuffer: Buffer.alloc(12), secretKey: key, encryptionMode: gcm,
};
const receiver = Object.assign(Object.create(voice.VoiceReceiver.prototype), { voiceConnection: { state: { status: "none" } } });

const udp = new voice.VoiceUDPSocket({ ip: "127.0.0.1", port: Number(process.argv[2]) });
const echoed = new Promise((resolve) => udp.on("message", (message) => message.length === 8 && resolve()));
const discovered = await udp.performIPDiscovery(42);
await echoed;
udp.destroy();

console.log(JSON.stringify({
  discovered,
  sent: voice.Networking.prototype.createAudioPacket.call(voice.Networking.prototype, Buffer.from(work.payload, "hex"), connection, undefined).toString("hex"),
  received: work.received.map((p) => receiver.parsePacket(Buffer.from(p, "hex"), gcm, Buffer.alloc(12), key, "1").toString("hex")),
  sealed: Object.fromEntries([gcm, xchacha].map((mode) => [mode, work.seal.map((s, n) => seal(mode, s, 1000 + n))])),
  opened: Object.fromEntries(Object.entries(work.open).map(([mode, packets]) => [mode, packets.map((p) => open(mode, p))])),
}));
