package voicetest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakesocket"
)

// maxMessage bounds a client's message, in bytes.
const maxMessage = 1 << 16

// message is an outgoing WebSocket message.
type message struct {
	binary bool
	data   []byte
}

// socket is the destination of a connection's messages.
type socket interface {
	Send(message any)
	SendBinary(message any)
	Close(code int, reason string)
}

// conn is one connection to the voice gateway.
type conn struct {
	s  *Server
	ws socket

	// guarded by Server.mu
	p       *participant // nil until it identified or resumed
	beat    time.Time
	leaving bool
}

// serve runs one connection until it ends.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.running.Add(1) // while the HTTP server still waits for this handler
	defer s.running.Done()
	fakesocket.Accept(r.Context(), w, r, maxMessage, func(ctx context.Context, ws *fakesocket.Conn) {
		c := &conn{s: s, ws: ws, beat: time.Now()}
		s.mu.Lock()
		if v := r.URL.Query().Get("v"); v != "8" || r.URL.Path != "/" {
			c.blame(CloseUnknownProtocol, fmt.Sprintf("%s?v=%s asked for, which is not /?v=8", r.URL.Path, v))
		} else {
			interval := json.RawMessage(fmt.Sprintf("%.1f", float64(s.opts.Heartbeat.Microseconds())/1000)) // a fraction, as Discord sends it
			c.put(message{data: mustJSON(map[string]any{"op": opHello, "d": map[string]any{"v": 8, "heartbeat_interval": interval}})})
		}
		s.mu.Unlock()
		code := c.read(ctx, ws)
		s.mu.Lock()
		defer s.mu.Unlock()
		if c.p != nil && c.p.conn == c {
			c.p.lose(code)
		}
		s.touch()
	})
}

// read handles the client's messages and returns its close code, or 0.
func (c *conn) read(ctx context.Context, ws *fakesocket.Conn) int {
	for {
		m, ok := ws.Receive(ctx)
		if !ok {
			return ws.CloseCode()
		}
		c.s.mu.Lock()
		if !c.leaving {
			if m.Binary {
				c.receiveBinary(m.Data)
			} else {
				c.receive(m.Data)
			}
		}
		c.s.mu.Unlock()
		c.s.flush() // sound may have waited for this message
	}
}

// put queues a message; s.mu must be held. It disconnects a client that does
// not read.
func (c *conn) put(m message) {
	if m.binary {
		c.ws.SendBinary(m.data)
	} else {
		c.ws.Send(m.data)
	}
}

// leave closes the connection after all queued messages, without a close frame
// if code is 0; s.mu must be held.
func (c *conn) leave(code int, reason string) {
	if c.leaving {
		return
	}
	c.leaving = true
	c.ws.Close(code, reason)
}

// blame closes the connection for an offence of the client.
func (c *conn) blame(code int, reason string) {
	who := "gateway"
	if c.p != nil {
		who = "gateway: user " + c.p.user
	}
	c.s.fault("%s: %s (closed with %d)", who, reason, code)
	c.leave(code, reason)
}

// receive handles a JSON message; s.mu must be held.
func (c *conn) receive(data []byte) {
	var m received
	if err := json.Unmarshal(data, &m); err != nil || m.Op == nil {
		c.blame(CloseDecodeError, "message that does not decode")
		return
	}
	switch op := *m.Op; {
	case op == opHeartbeat:
		c.heartbeat(m.D)
	case op == opIdentify:
		c.identify(m.D)
	case op == opResume:
		c.resume(m.D)
	case c.p == nil:
		c.blame(CloseNotAuthenticated, fmt.Sprintf("opcode %d before identify", op))
	case op == opSelectProtocol:
		c.selectProtocol(m.D)
	case op == opSpeaking:
		c.speaking(m.D)
	case op == opTransitionReady, op == opInvalidCommit:
		c.transition(op, m.D)
	case op == opVideo, op == opMediaSinkWants, op == opVersions:
	default:
		c.blame(CloseUnknownOpcode, fmt.Sprintf("unknown opcode %d", op))
	}
}

// receiveBinary handles a binary message; s.mu must be held.
func (c *conn) receiveBinary(data []byte) {
	switch {
	case len(data) == 0:
		c.blame(CloseDecodeError, "empty binary message")
	case c.p == nil || !c.p.described:
		c.blame(CloseNotAuthenticated, fmt.Sprintf("binary opcode %d before the session description", data[0]))
	case data[0] == opKeyPackage:
		c.p.room.group.takeKeyPackage(c.p, data[1:])
	case data[0] == opCommitWelcome:
		c.p.room.group.takeCommit(c.p, data[1:])
	default:
		c.blame(CloseUnknownOpcode, fmt.Sprintf("unknown binary opcode %d", data[0]))
	}
}

func (c *conn) heartbeat(d json.RawMessage) {
	var b struct {
		T      *json.Number `json:"t"`
		SeqAck *int         `json:"seq_ack"`
	}
	if err := json.Unmarshal(d, &b); err != nil || b.T == nil {
		c.blame(CloseDecodeError, "heartbeat without its time: version 8 wants an object with t and seq_ack")
		return
	}
	c.beat = time.Now()
	if p := c.p; p != nil {
		p.stats.Heartbeats++
		if ack := -1; b.SeqAck != nil {
			ack = *b.SeqAck
			if ack != -1 && !p.sentBefore(ack) {
				c.s.fault("gateway: user %s acknowledges message %d of %d", p.user, ack, p.seq)
			}
			p.stats.SeqAck = ack
		} else if p.numbered {
			c.s.fault("gateway: user %s sends a heartbeat without seq_ack", p.user)
		}
	}
	if c.s.swallow > 0 {
		c.s.swallow--
	} else {
		c.put(message{data: mustJSON(map[string]any{"op": opHeartbeatAck, "d": map[string]any{"t": b.T}})})
	}
	c.s.touch()
}

func (c *conn) identify(d json.RawMessage) {
	var id identification
	s := c.s
	if c.p != nil {
		c.blame(CloseAlreadyAuthenticated, "second identify")
		return
	}
	if err := json.Unmarshal(d, &id); err != nil {
		c.blame(CloseDecodeError, "identify that does not decode")
		return
	}
	a := s.admissions[id.Token]
	switch {
	case a == nil:
		c.leave(CloseAuthenticationFailed, "Authentication failed.") // The token may have become invalid just now.
	case a.User != id.User || a.Guild != id.Server || a.Session != id.Session:
		c.blame(CloseSessionInvalid, "identify for somebody else")
	case !a.Stage && !s.opts.AllowPlain && (id.DAVE == nil || *id.DAVE < 1):
		c.leave(CloseEncryptionRequired, "E2EE/DAVE protocol required.")
	default:
		c.begin(a, id)
	}
	s.touch()
}

// begin starts a session, and replaces an earlier one of the user there.
func (c *conn) begin(a *admission, id identification) {
	s := c.s
	before := Client{}
	for _, old := range s.ssrcs {
		if old.room.guild == a.Guild && old.user == a.User {
			before = old.stats
			old.end(CloseSessionInvalid, "The session went on elsewhere.")
		}
	}
	s.lastSSRC++
	p := &participant{s: s, room: s.roomOf(a), admission: a, user: a.User, muted: a.Muted, conn: c, ssrc: s.lastSSRC, seq: s.opts.FirstSequence - 1}
	p.stats.Identified, p.stats.Resumed = before.Identified+1, before.Resumed
	p.outSSRC = p.ssrc
	if id.DAVE != nil {
		p.dave = *id.DAVE
	}
	s.ssrcs[p.ssrc] = p
	c.p = p
	at := s.udp.LocalAddr().String()
	ip, port := splitAddress(at)
	p.plain(opReady, map[string]any{
		"ssrc": p.ssrc, "ip": ip, "port": port, "modes": s.opts.Modes, "heartbeat_interval": 1, // clients ignore it
		"experiments": []string{}, "streams": []any{},
	})
}

func (c *conn) resume(d json.RawMessage) {
	var r resumption
	s := c.s
	if c.p != nil {
		c.blame(CloseAlreadyAuthenticated, "resume of a running session")
		return
	}
	if err := json.Unmarshal(d, &r); err != nil {
		c.blame(CloseDecodeError, "resume that does not decode")
		return
	}
	var p *participant
	for _, known := range s.ssrcs {
		if known.admission.token == r.Token && known.admission.Session == r.Session && known.room.guild == r.Server && known.described {
			p = known
		}
	}
	switch {
	case p == nil || p.forgotten:
		c.leave(CloseSessionInvalid, "Session is no longer valid.")
	case r.SeqAck == nil && p.numbered, r.SeqAck != nil && *r.SeqAck != -1 && !p.sentBefore(*r.SeqAck):
		c.blame(CloseSessionInvalid, "resume without a valid seq_ack")
	default:
		p.resume(c, r.SeqAck)
	}
	s.touch()
}

func (c *conn) speaking(d json.RawMessage) {
	var sp speaking
	if err := json.Unmarshal(d, &sp); err != nil || sp.Speaking == nil || sp.SSRC == nil {
		c.blame(CloseDecodeError, "speaking that does not decode, or without its ssrc")
		return
	}
	p := c.p
	switch {
	case *sp.SSRC != p.ssrc:
		c.s.fault("gateway: user %s speaks with ssrc %d instead of %d", p.user, *sp.SSRC, p.ssrc)
	case *sp.Speaking&^(speakingMicrophone|speakingSoundshare|speakingPriority) != 0:
		c.s.fault("gateway: user %s speaks with flags %d", p.user, *sp.Speaking)
	default:
		p.speak(*sp.Speaking)
	}
}

func (c *conn) selectProtocol(d json.RawMessage) {
	var sel selection
	if err := json.Unmarshal(d, &sel); err != nil {
		c.blame(CloseDecodeError, "select protocol that does not decode")
		return
	}
	if sel.Protocol != "udp" {
		c.blame(CloseUnknownProtocol, fmt.Sprintf("protocol %q", sel.Protocol))
		return
	}
	c.p.describe(c, sel)
}

func (c *conn) transition(op int, d json.RawMessage) {
	var t struct {
		ID *int `json:"transition_id"`
	}
	if err := json.Unmarshal(d, &t); err != nil || t.ID == nil || *t.ID < 0 || *t.ID > 65535 {
		c.blame(CloseDecodeError, fmt.Sprintf("opcode %d without its transition", op))
		return
	}
	c.p.room.group.transition(c.p, op, uint16(*t.ID), d)
}
