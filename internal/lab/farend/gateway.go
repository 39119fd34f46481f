package farend

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"

	"github.com/coder/websocket"

	"github.com/MrWong99/glyphoxa/internal/discord/voice/rtp"
)

// The voice gateway's opcodes; those of the encryption are e2ee's.
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
	// unsent is how many messages wait for a client; what does not fit is lost.
	unsent = 1024
	// maxMessage of a client, in bytes.
	maxMessage = 1 << 20
)

// client is a bot's connection to the gateway.
type client struct {
	s   *Server
	out chan outgoing

	// Owned by the goroutine that reads:
	channel *channel // nil until it identified
}

type outgoing struct {
	binary bool
	data   []byte
}

// serve runs one connection until it ends.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.clients.Add(1) // while the HTTP server still counts this handler
	defer s.clients.Done()
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // Accept has answered.
	}
	defer func() { _ = ws.CloseNow() }()
	ws.SetReadLimit(maxMessage)
	ctx, cancel := context.WithCancel(r.Context())
	c := &client{s: s, out: make(chan outgoing, unsent)}
	var writer sync.WaitGroup
	writer.Go(func() {
		defer cancel()
		c.write(ctx, ws)
	})
	c.put(opHello, map[string]any{"v": 8, "heartbeat_interval": heartbeatMS})
	c.read(ctx, ws)
	cancel()
	writer.Wait()
	if c.channel != nil {
		c.channel.leave(c)
	}
}

func (c *client) write(ctx context.Context, ws *websocket.Conn) {
	for {
		select {
		case m := <-c.out:
			kind := websocket.MessageText
			if m.binary {
				kind = websocket.MessageBinary
			}
			if ws.Write(ctx, kind, m.data) != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// put gives a message. It never blocks.
func (c *client) put(op int, d any) {
	data, err := json.Marshal(map[string]any{"op": op, "d": d})
	if err == nil {
		c.enqueue(outgoing{data: data})
	}
}

func (c *client) enqueue(m outgoing) {
	select {
	case c.out <- m:
	default:
	}
}

// read handles what the client sends until it makes no sense or ends.
func (c *client) read(ctx context.Context, ws *websocket.Conn) {
	for {
		kind, data, err := ws.Read(ctx)
		if err != nil {
			return
		}
		if kind == websocket.MessageBinary {
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

// receive handles a message of JSON and reports whether the connection may go on.
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
	case op == opSpeaking: // the sound says so
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
		"ssrc": c.channel.ssrc, "ip": c.s.at.Addr().Unmap().String(), "port": c.s.at.Port(), "modes": []string{rtp.AES256GCM, rtp.XChaCha20Poly1305},
	})
	return true
}
