// Implements Discord's end-to-end encryption as @discordjs/voice does, with davey, for as
// many users as requested.
//
// usage: node davey.mjs
//
// An input line is a JSON object with a user and an op: a voice gateway's opcode with JSON
// data, or with the hex of the data after a binary opcode; or "encrypt", "decrypt",
// "clients", "code", "verify". Each is answered by one line: out holds the messages to the
// gateway in the same form, and result or error the result.

import { createInterface } from "node:readline";
import { DAVESession } from "@discordjs/voice";

const users = new Map();

const hex = (buffer) => buffer.toString("hex");
const bytes = (text) => Buffer.from(text, "hex");

function connect(user, { version, channel }, out) {
  const session = new DAVESession(version, user, channel, {});
  const u = { session, clients: [], out };
  session.on("keyPackage", (message) => u.out.push({ op: 26, data: hex(message) }));
  session.on("invalidateTransition", (id) => u.out.push({ op: 31, data: { transition_id: id } }));
  session.on("error", (error) => u.out.push({ op: -1, data: String(error) }));
  users.set(user, u);
  session.reinit();
}

function ready(out, id) {
  if (id !== 0) {
    out.push({ op: 23, data: { transition_id: id } });
  }
}

function take({ user, op, data }, out) {
  if (op === 4) {
    return connect(user, data, out);
  }
  const u = users.get(user);
  u.out = out;
  const { session } = u;
  switch (op) {
    case 21:
      return session.prepareTransition(data) ? ready(out, data.transition_id) : undefined;
    case 22:
      return session.executeTransition(data.transition_id);
    case 24:
      return session.prepareEpoch(data);
    case 25:
      return session.setExternalSender(bytes(data));
    case 27: {
      const commit = session.processProposals(bytes(data), u.clients);
      return commit ? void out.push({ op: 28, data: hex(commit) }) : undefined;
    }
    case 29:
    case 30: {
      const done = op === 29 ? session.processCommit(bytes(data)) : session.processWelcome(bytes(data));
      return done.success ? ready(out, done.transitionId) : undefined;
    }
    case "clients":
      u.clients = data;
      return undefined;
    case "encrypt":
      return data.map((frame) => hex(session.encrypt(bytes(frame))));
    case "decrypt":
      return data.frames.map((frame) => {
        const opened = session.decrypt(bytes(frame), data.from);
        return opened ? hex(opened) : null;
      });
    case "code":
      return session.voicePrivacyCode;
    case "verify":
      return session.getVerificationCode(data);
    default:
      throw new Error(`unknown op ${op}`);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const out = [];
  const said = { out };
  try {
    said.result = (await take(JSON.parse(line), out)) ?? null;
  } catch (error) {
    said.error = String(error);
  }
  console.log(JSON.stringify(said));
}
