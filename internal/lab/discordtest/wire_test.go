package discordtest_test

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// wire speaks the gateway's protocol directly, for cases that no library
// produces.
type wire struct {
	t  *testing.T
	s  *discordtest.Server
	ws *websocket.Conn
}

type frame struct {
	Op int             `json:"op"`
	D  json.RawMessage `json:"d"`
	S  int             `json:"s"`
	T  string          `json:"t"`
}

func dial(t *testing.T, s *discordtest.Server, query string) *wire {
	t.Helper()
	url := "ws" + strings.TrimSuffix(strings.TrimPrefix(s.APIURL(), "http"), "/api") + "/gateway/?v=10&encoding=json" + query
	ws, _, err := websocket.Dial(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	ws.SetReadLimit(1 << 20)
	t.Cleanup(func() { _ = ws.CloseNow() })
	return &wire{t: t, s: s, ws: ws}
}

func (w *wire) read() (frame, error) {
	ctx, cancel := context.WithTimeout(w.t.Context(), 10*time.Second)
	defer cancel()
	kind, data, err := w.ws.Read(ctx)
	if err != nil {
		return frame{}, err
	}
	if kind != websocket.MessageText {
		return frame{}, fmt.Errorf("a frame of kind %v", kind)
	}
	var f frame
	return f, json.Unmarshal(data, &f)
}

// next returns the next frame, which must have the opcode.
func (w *wire) next(op int) frame {
	w.t.Helper()
	f, err := w.read()
	if err != nil || f.Op != op {
		w.t.Fatalf("read opcode %d, %v, want opcode %d", f.Op, err, op)
	}
	return f
}

func (w *wire) send(text string) {
	w.t.Helper()
	if err := w.ws.Write(w.t.Context(), websocket.MessageText, []byte(text)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wire) identify() frame {
	w.t.Helper()
	w.next(10)
	w.send(identify(w.s))
	return w.next(0)
}

// closed returns the server's close code.
func (w *wire) closed() int {
	for {
		if _, err := w.read(); err != nil {
			var ce websocket.CloseError
			if errors.As(err, &ce) {
				return int(ce.Code)
			}
			w.t.Fatalf("reading until the close: %v", err)
		}
	}
}

func identify(s *discordtest.Server) string {
	return fmt.Sprintf(`{"op":2,"d":{"token":%q,"intents":513,"properties":{"os":"linux","browser":"t","device":"t"}}}`, s.Token())
}

func TestGatewayRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		before bool // identified
		send   string
		want   int
		faults int
	}{
		{name: "unknown_opcode", send: `{"op":99,"d":null}`, want: discordtest.CloseUnknownOpcode, faults: 1},
		{name: "no_json", send: `{`, want: discordtest.CloseDecodeError, faults: 1},
		{name: "no_opcode", send: `{}`, want: discordtest.CloseDecodeError, faults: 1},
		{name: "too_long", send: `{"op":1,"d":null,"x":"` + strings.Repeat("x", 4096) + `"}`, want: discordtest.CloseDecodeError, faults: 1},
		{name: "presence_before_identify", send: `{"op":3,"d":{}}`, want: discordtest.CloseNotAuthenticated, faults: 1},
		{name: "identify_without_intents", send: `{"op":2,"d":{"token":"x","properties":{"os":"x"}}}`, want: discordtest.CloseDecodeError, faults: 1},
		{name: "identify_twice", before: true, send: "IDENTIFY", want: discordtest.CloseAlreadyAuthenticated, faults: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := discordtest.New(t, nil)
			w := dial(t, s, "")
			if tt.before {
				w.identify()
			}
			if tt.send == "IDENTIFY" {
				tt.send = identify(s)
			}
			w.send(tt.send)
			if got := w.closed(); got != tt.want {
				t.Errorf("closed with %d, want %d", got, tt.want)
			}
			if got := s.TakeFaults(); len(got) != tt.faults {
				t.Errorf("faults = %q, want %d", got, tt.faults)
			}
		})
	}
}

func TestTooManyPayloads(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t, nil)
	w := dial(t, s, "")
	w.identify()
	for range 120 {
		w.send(`{"op":1,"d":1}`)
	}
	if got := w.closed(); got != discordtest.CloseRateLimited {
		t.Errorf("closed with %d, want %d", got, discordtest.CloseRateLimited)
	}
	if got := s.TakeFaults(); len(got) != 1 {
		t.Errorf("faults = %q, want one", got)
	}
}

// ready holds the fields of READY that a client keeps.
type ready struct {
	Session string `json:"session_id"`
	Resume  string `json:"resume_gateway_url"`
}

func TestResumeByHand(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		leave   websocket.StatusCode // the client's close code; 0 drops the connection
		expire  bool
		seq     int
		session string // not its own
		wantOp  int    // -1: closed
		want    string
	}{
		{name: "after_4000", leave: 4000, seq: 1, wantOp: 0, want: "GUILD_CREATE"},
		{name: "dropped", seq: 1, wantOp: 0, want: "GUILD_CREATE"},
		{name: "all_seen", leave: 4000, seq: 2, wantOp: 0, want: "RESUMED"},
		{name: "after_1000", leave: 1000, seq: 1, wantOp: 9, want: "false"},
		{name: "expired", leave: 4000, expire: true, seq: 1, wantOp: 9, want: "false"},
		{name: "unknown_session", leave: 4000, session: "other", seq: 1, wantOp: 9, want: "false"},
		{name: "sequence_too_high", leave: 4000, seq: 77, wantOp: -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := discordtest.New(t, nil)
			s.AddGuild("Waterdeep")
			w := dial(t, s, "")
			var r ready
			if err := json.Unmarshal(w.identify().D, &r); err != nil || !strings.HasSuffix(r.Resume, "/resume") {
				t.Fatalf("ready = %+v, %v", r, err)
			}
			w.next(0)
			if tt.leave == 0 {
				_ = w.ws.CloseNow()
			} else {
				_ = w.ws.Close(tt.leave, "")
			}
			if err := s.AwaitConnections(t.Context(), func(all []discordtest.Connection) bool { return !all[0].Open }); err != nil {
				t.Fatal(err)
			}
			if tt.expire {
				s.ExpireSessions()
			}
			r.Session = cmp.Or(tt.session, r.Session)
			w = dial(t, s, "")
			w.next(10)
			w.send(fmt.Sprintf(`{"op":6,"d":{"token":%q,"session_id":%q,"seq":%d}}`, s.Token(), r.Session, tt.seq))
			if tt.wantOp < 0 {
				if got := w.closed(); got != discordtest.CloseInvalidSequence {
					t.Errorf("closed with %d, want %d", got, discordtest.CloseInvalidSequence)
				}
				return
			}
			f := w.next(tt.wantOp)
			if got := f.T + strings.TrimSpace(string(f.D)); !strings.HasPrefix(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if f.Op == 0 && f.S != tt.seq+1 {
				t.Errorf("sequence = %d, want %d", f.S, tt.seq+1)
			}
		})
	}
}

func TestIdentifyTooSoon(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t, &discordtest.Options{IdentifyInterval: time.Hour})
	dial(t, s, "").identify()
	w := dial(t, s, "")
	w.next(10)
	w.send(identify(s))
	if f := w.next(9); string(f.D) != "false" {
		t.Errorf("invalid session = %s, want false", f.D)
	}
}

func TestStreamCompression(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t, nil)
	s.AddGuild("Waterdeep")
	w := dial(t, s, "&compress=zlib-stream")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var all bytes.Buffer
	receive := func() {
		t.Helper()
		kind, data, err := w.ws.Read(ctx)
		if err != nil || kind != websocket.MessageBinary || !bytes.HasSuffix(data, []byte{0, 0, 0xff, 0xff}) {
			t.Fatalf("read kind %v, %x, %v, want a flushed binary frame", kind, data, err)
		}
		all.Write(data)
	}
	receive()
	w.send(identify(s))
	receive()
	receive()
	z, err := zlib.NewReader(&all)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(z)
	for _, want := range []string{"", "READY", "GUILD_CREATE"} {
		var f frame
		if err := d.Decode(&f); err != nil || f.T != want {
			t.Errorf("decoded %q, %v, want %q", f.T, err, want)
		}
	}
}

func TestSilentClientIsClosed(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t, &discordtest.Options{Heartbeat: 20 * time.Millisecond})
	w := dial(t, s, "")
	if got := w.closed(); got != discordtest.CloseUnknownError {
		t.Errorf("closed with %d, want %d", got, discordtest.CloseUnknownError)
	}
}
