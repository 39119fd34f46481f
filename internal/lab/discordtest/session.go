package discordtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

// session is a client's resumable state, guarded by Server.mu.
type session struct {
	id       string
	intents  Intents
	shard    [2]int
	compress bool
	log      [][]byte // all events, the first has sequence number 1
	conn     *conn    // nil while the client is away
	ended    bool     // cannot be resumed
	held     []event  // waits to be swapped with the next event
	faults   *gatewayFaults
}

// event is an event without a sequence number.
type event struct {
	name string
	data []byte
}

// maxEvents bounds a session's events; a longer session cannot be resumed.
const maxEvents = 200_000

// wants reports whether the session receives an event of a guild.
func (x *session) wants(guildID string, need Intents) bool {
	return !x.ended && x.intents&need == need && shardOf(guildID, x.shard[1]) == x.shard[0]
}

// push adds an event to the session, changed by the faults in effect; s.mu must
// be held.
func (x *session) push(name string, data []byte) {
	setUp := name == "READY" || name == "GUILD_CREATE" || name == "RESUMED" // no client could handle it
	if x.faults.reorder && !setUp && len(x.held) == 0 {
		x.held = []event{{name, data}}
		return
	}
	x.number(name, data)
	if x.faults.repeat && !setUp {
		x.number(name, data)
	}
	x.release()
}

// release sends the held events.
func (x *session) release() {
	for _, e := range x.held {
		x.number(e.name, e.data)
	}
	x.held = nil
}

// number adds an event to the session under the next sequence number.
func (x *session) number(name string, data []byte) {
	if len(x.log) == maxEvents {
		x.ended = true
		return
	}
	x.log = append(x.log, fmt.Appendf(nil, `{"op":0,"s":%d,"t":%q,"d":%s}`, len(x.log)+1, name, data))
	if x.conn != nil {
		x.conn.rouse()
	}
}

// rouse signals the writer that there are events.
func (c *conn) rouse() {
	wakeup.Signal(c.wake)
}

// emit sends an event to all sessions that want it; s.mu must be held. An empty
// guild means direct messages.
func (s *Server) emit(guildID string, need Intents, name string, d any) {
	if g := s.guilds[guildID]; guildID != "" && (g == nil || !g.botIn || g.down) && name != "GUILD_DELETE" {
		return
	}
	data := mustJSON(d)
	for _, x := range s.gateway.sessions {
		if x.wants(guildID, need) {
			x.push(name, data)
		}
	}
	s.touch()
}

// received is a payload from a client.
type received struct {
	Op *int            `json:"op"`
	D  json.RawMessage `json:"d"`
}

// receive handles one payload.
func (c *conn) receive(data []byte) {
	var join *VoiceJoin
	c.s.mu.Lock()
	if !c.leaving {
		join = c.handle(data)
	}
	c.s.mu.Unlock()
	if join != nil && c.s.opts.Voice != nil {
		c.s.AnnounceVoice(join.GuildID, c.s.opts.Voice(*join))
	}
}

// handle is receive under the lock. It returns the data for the voice gateway.
func (c *conn) handle(data []byte) *VoiceJoin {
	var p received
	switch err := json.Unmarshal(data, &p); {
	case len(data) > maxPayload:
		c.blame(CloseDecodeError, fmt.Sprintf("payload of %d bytes", len(data)))
		return nil
	case err != nil || p.Op == nil:
		c.blame(CloseDecodeError, "payload that does not decode")
		return nil
	case !c.count():
		c.blame(CloseRateLimited, "more than 120 payloads in a minute")
		return nil
	}
	switch op := *p.Op; op {
	case opHeartbeat:
		c.heartbeat(p.D)
	case opIdentify:
		c.identify(p.D)
	case opResume:
		c.resume(p.D)
	case opPresence, opVoiceState, opRequestMembers:
		if c.session == nil {
			c.blame(CloseNotAuthenticated, fmt.Sprintf("opcode %d before identify", op))
		} else if op == opVoiceState {
			return c.voiceState(p.D)
		} else if op == opRequestMembers {
			c.requestMembers(p.D)
		}
	default:
		c.blame(CloseUnknownOpcode, fmt.Sprintf("unknown opcode %d", op))
	}
	return nil
}

// count reports whether the client may send another payload.
func (c *conn) count() bool {
	now := time.Now()
	for len(c.recent) > 0 && now.Sub(c.recent[0]) > time.Minute {
		c.recent = c.recent[1:]
	}
	c.recent = append(c.recent, now)
	return len(c.recent) <= payloadsPerMinute
}

func (c *conn) heartbeat(d json.RawMessage) {
	var seq *int
	if json.Unmarshal(d, &seq) != nil {
		c.blame(CloseDecodeError, "heartbeat without a sequence number")
		return
	}
	c.beat = time.Now()
	c.record.Heartbeats++
	if c.s.gateway.swallow > 0 {
		c.s.gateway.swallow--
		c.s.touch()
		return
	}
	c.send(opHeartbeatAck, nil)
	c.s.touch()
}

// identification holds the fields of an Identify that the server reads.
type identification struct {
	Token      string         `json:"token"`
	Properties map[string]any `json:"properties"`
	Compress   bool           `json:"compress"`
	Shard      *[2]int        `json:"shard"`
	Intents    *Intents       `json:"intents"`
}

func (c *conn) identify(d json.RawMessage) {
	s, id := c.s, identification{}
	c.record.Identify = bytes.ReplaceAll(d, []byte(s.Token()), []byte("TOKEN"))
	if c.session != nil {
		c.blame(CloseAlreadyAuthenticated, "second identify")
		return
	}
	if err := json.Unmarshal(d, &id); err != nil || id.Intents == nil {
		c.blame(CloseDecodeError, "identify that does not decode, or without intents")
		return
	}
	shard := [2]int{0, 1}
	if id.Shard != nil {
		shard = *id.Shard
	}
	switch {
	case !s.knows(id.Token):
		c.leave(CloseAuthenticationFailed, "Authentication failed.")
	case id.Properties["os"] == nil && id.Properties["$os"] == nil:
		c.blame(CloseDecodeError, "identify without properties")
	case shard[1] < 1 || shard[0] < 0 || shard[0] >= shard[1]:
		c.blame(CloseInvalidShard, fmt.Sprintf("shard %d of %d", shard[0], shard[1]))
	case *id.Intents < 0 || *id.Intents&^AllIntents != 0:
		c.blame(CloseInvalidIntents, fmt.Sprintf("intents %d", *id.Intents))
	case *id.Intents&PrivilegedIntents&^s.gateway.allowed != 0:
		c.leave(CloseDisallowedIntents, "Disallowed intent(s).")
	case !s.mayIdentify(shard[0]):
		c.send(opInvalidSession, false)
	default:
		c.begin(id, shard)
	}
	s.touch()
}

// mayIdentify counts an identify against the limits of its group of shards.
func (s *Server) mayIdentify(shard int) bool {
	g, group, now := &s.gateway, shard%s.opts.MaxConcurrency, time.Now()
	g.starts--
	if now.Sub(g.identified[group]) < s.opts.IdentifyInterval {
		return false
	}
	g.identified[group] = now
	return g.starts >= 0
}

// begin starts a session: Ready, then the guilds one by one.
func (c *conn) begin(id identification, shard [2]int) {
	s := c.s
	x := &session{id: s.secret("session"), intents: *id.Intents, shard: shard, compress: id.Compress, conn: c, faults: &s.gateway.faults}
	s.loseVoice()
	s.gateway.sessions = append(s.gateway.sessions, x)
	c.session = x
	c.record.Session, c.record.Intents, c.record.Shard = x.id, x.intents, shard
	c.record.Compressed = c.record.Compressed || id.Compress
	mine := s.guildsOf(x)
	guilds := []any{}
	for _, g := range mine {
		guilds = append(guilds, map[string]any{"id": g.ID, "unavailable": true})
	}
	x.push("READY", mustJSON(map[string]any{
		"v": c.record.Version, "user": s.bot, "guilds": guilds, "session_id": x.id, "session_type": "normal",
		"resume_gateway_url": s.gatewayURL("/resume"), "shard": shard, "application": s.app,
		"private_channels": []any{}, "relationships": []any{}, "presences": []any{}, "user_settings": map[string]any{},
	}))
	for _, g := range mine {
		if x.intents&IntentGuilds != 0 && !g.down {
			x.push("GUILD_CREATE", mustJSON(s.guildCreate(g, x.intents)))
		}
	}
}

func (c *conn) resume(d json.RawMessage) {
	var r struct {
		Token   string `json:"token"`
		Session string `json:"session_id"`
		Seq     *int   `json:"seq"`
	}
	s := c.s
	if err := json.Unmarshal(d, &r); err != nil || r.Seq == nil {
		c.blame(CloseDecodeError, "resume that does not decode")
		return
	}
	var x *session
	for _, known := range s.gateway.sessions {
		if known.id == r.Session && !known.ended {
			x = known
		}
	}
	switch {
	case c.session != nil:
		c.blame(CloseAlreadyAuthenticated, "resume of a running session")
	case !s.knows(r.Token):
		c.leave(CloseAuthenticationFailed, "Authentication failed.")
	case x == nil:
		c.send(opInvalidSession, false)
	case *r.Seq < 0 || *r.Seq > len(x.log):
		x.ended = true
		c.leave(CloseInvalidSequence, "Invalid seq.")
	default:
		if x.conn != nil {
			x.conn.leave(CloseSessionTimedOut, "The session went on elsewhere.")
		}
		x.conn, c.session, c.sent = c, x, *r.Seq
		c.record.Session, c.record.Resumed, c.record.Sequence = x.id, true, *r.Seq
		c.record.Intents, c.record.Shard = x.intents, x.shard
		x.push("RESUMED", []byte(`{}`))
	}
	s.touch()
}
