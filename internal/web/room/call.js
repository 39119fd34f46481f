// One connection with the table: sound both ways, and messages.

const others = 4; // voices of other players at the same time
const patience = 15000; // until a connection that was agreed on has come about

async function ask(what, options) {
  let answer;
  try {
    answer = await fetch(`/table/${what}`, { credentials: "omit", cache: "no-store", ...options });
  } catch {
    throw Object.assign(new Error("the table cannot be reached"), { status: 0 });
  }
  const body = await answer.json().catch(() => null);
  if (!answer.ok) throw Object.assign(new Error(body?.error ?? answer.statusText), { status: answer.status });
  return body;
}

// gathered waits until the browser knows its own addresses; two seconds are enough for all
// that will come.
const gathered = (peer) => new Promise((done) => {
  const end = () => peer.iceGatheringState === "complete" && done();
  peer.addEventListener("icegatheringstatechange", end);
  setTimeout(done, 2000);
  end();
});

const opened = (peer, channel) => new Promise((done, fail) => {
  const lost = () => fail(Object.assign(new Error("no connection to the table could be made"), { status: 0 }));
  channel.addEventListener("open", done);
  channel.addEventListener("close", lost);
  peer.addEventListener("connectionstatechange", () => peer.connectionState === "failed" && lost());
  setTimeout(lost, patience);
});

// connect takes a seat. hear is given each message; lost is called once when the
// connection ends by itself.
export async function connect({ invite, name, seat, track, hear, lost }) {
  const { iceServers } = await ask("ice", { headers: { "X-Table-Invite": invite } });
  const peer = new RTCPeerConnection({ iceServers: iceServers ?? [] });
  const over = new AbortController(); // no message is heard after the call has been closed
  try {
    const channel = peer.createDataChannel("table");
    channel.addEventListener("message", (m) => hear(JSON.parse(m.data)), { signal: over.signal });
    peer.addTransceiver(track ?? "audio", { direction: track ? "sendrecv" : "recvonly" });
    for (let i = 0; i < others; i++) peer.addTransceiver("audio", { direction: "recvonly" });
    await peer.setLocalDescription();
    await gathered(peer);
    const taken = await ask("join", {
      method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ invite, name, consent: true, offer: peer.localDescription.sdp, ...(seat && { seat }) }),
    });
    const open = opened(peer, channel);
    open.catch(() => {}); // it is awaited below, unless the answer is none
    await peer.setRemoteDescription({ type: "answer", sdp: taken.answer });
    await open;
    return new Call(peer, channel, taken, lost, over);
  } catch (error) {
    peer.close();
    throw error;
  }
}

class Call {
  #peer; #channel; #lost; #over; #waits = 0;

  constructor(peer, channel, taken, lost, over) {
    this.#peer = peer;
    this.#channel = channel;
    this.taken = taken;
    this.#lost = lost;
    this.#over = over;
    channel.addEventListener("close", () => this.#end());
    peer.addEventListener("connectionstatechange", () => {
      clearTimeout(this.#waits);
      if (peer.connectionState === "failed" || peer.connectionState === "closed") this.#end();
      if (peer.connectionState === "disconnected") this.#waits = setTimeout(() => this.#end(), 4000); // it may come back
    });
  }

  // tracks are what is heard: the NPCs first, then other players.
  get tracks() {
    return this.#peer.getTransceivers().map((x) => x.receiver.track);
  }

  send(message) {
    if (this.#channel.readyState !== "open") return false;
    this.#channel.send(JSON.stringify(message));
    return true;
  }

  // speakWith has another microphone be heard.
  async speakWith(track) {
    await this.#peer.getTransceivers()[0].sender.replaceTrack(track);
  }

  // close ends it without calling lost. What was sent before still goes out.
  close() {
    clearTimeout(this.#waits);
    this.#lost = null;
    this.#over.abort();
    this.#channel.close();
    setTimeout(() => this.#peer.close(), 300);
  }

  #end() {
    const lost = this.#lost;
    this.close();
    lost?.();
  }
}
