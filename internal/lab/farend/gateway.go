package farend

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
	"github.com/MrWong99/glyphoxa/internal/lab/fakesocket"
)

// The voice gateway's opcodes; package e2ee has those of the encryption.
const (
	opIdentify       = 0
	opSelectProtocol = 1
	opReady          = 2
	opHeartbeat      = 3
	opDescription    = 4
	opSpeaking       = 5
	opHeartbeatAck   = 6
	opHello          = 8
	opClientsConnect = 11
)

const (
	heartbeatMS = 13750
	// maxMessage bounds a client's message, in bytes.
	maxMessage = 1 << 20
)

// client is a bot's connection to the gateway.
type client struct {
	s    *Server
	conn *fakesocket.Conn

	// Owned by the goroutine that reads:
	channel *channel // nil until it identified
}

// serve runs one connection until it ends.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.clients.Add(1) // while the HTTP server still counts this handler
	defer s.clients.Done()
	fakesocket.Accept(r.Context(), w, r, maxMessage, func(ctx context.Context, conn *fakesocket.Conn) {
		c := &client{s: s, conn: conn}
		c.put(opHello, map[string]any{"v": 8, "heartbeat_interval": heartbeatMS})
		c.read(ctx)
		if c.channel != nil {
			c.channel.leave(c)
		}
	})
}

// put sends a message and never blocks.
func (c *client) put(op int, d any) { c.conn.Send(map[string]any{"op": op, "d": d}) }

// read handles the client's messages until one is invalid or the connection
// ends.
func (c *client) read(ctx context.Context) {
	for {
		received, ok := c.conn.Receive(ctx)
		if !ok {
			return
		}
		data := received.Data
		if received.Binary {
			if c.channel == nil || len(data) == 0 {
				return
			}
			c.channel.receiveFromBot(c, int(data[0]), data[1:])
			continue
		}
		var m struct {
			Op int             `json:"op"`
			D  json.RawMessage `json:"d"`
		}
		if json.Unmarshal(data, &m) != nil || !c.receive(m.Op, m.D) {
			return
		}
	}
}

// receive handles a JSON message and reports whether the connection may
// continue.
func (c *client) receive(op int, d json.RawMessage) bool {
	switch {
	case op == opHeartbeat:
		var beat struct {
			T json.RawMessage `json:"t"`
		}
		if json.Unmarshal(d, &beat) != nil {
			return false
		}
		c.put(opHeartbeatAck, map[string]any{"t": beat.T})
	case op == opIdentify:
		return c.identify(d)
	case c.channel == nil:
		return false
	case op == opSelectProtocol:
		var selected struct {
			Data struct {
				Mode string `json:"mode"`
			} `json:"data"`
		}
		return json.Unmarshal(d, &selected) == nil && c.channel.enter(c, selected.Data.Mode) == nil
	case op == opSpeaking: // the sound already says so
	default:
		c.channel.receiveFromBot(c, op, d)
	}
	return true
}

func (c *client) identify(d json.RawMessage) bool {
	var id struct {
		Guild string `json:"server_id"`
		User  string `json:"user_id"`
		Token string `json:"token"`
		DAVE  int    `json:"max_dave_protocol_version"`
	}
	if json.Unmarshal(d, &id) != nil || id.Token != c.s.address.Token || id.User != BotID || c.channel != nil {
		return false
	}
	for _, channel := range c.s.channels {
		if channel.guild == id.Guild {
			c.channel = channel
		}
	}
	if c.channel == nil || !c.channel.begin(c, id.DAVE) {
		return false
	}
	c.put(opReady, map[string]any{
		"ssrc": c.channel.ssrc, "ip": c.s.at.Addr().Unmap().String(), "port": c.s.at.Port(), "modes": []string{voice.AES256GCM, voice.XChaCha20Poly1305},
	})
	return true
}
