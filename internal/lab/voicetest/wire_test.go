package voicetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
	"github.com/MrWong99/glyphoxa/internal/lab/voicetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// wire speaks the protocol directly, for cases that no client produces. Its
// packets are sealed and opened with the product's and the server's code.
type wire struct {
	t    *testing.T
	s    *voicetest.Server
	at   voicetest.Address
	join voicetest.Join
	ws   *websocket.Conn
	seq  int // of the last numbered message, or -1

	ssrc   uint32
	udp    net.Conn
	sealer *voice.Sealer
	opener *voice.Opener
	header voice.Header
}

type frame struct {
	Op   int             `json:"op"`
	D    json.RawMessage `json:"d"`
	Seq  *int            `json:"seq"`
	Data []byte          `json:"-"` // of a binary message
}

// admit admits a user without connecting.
func admit(t *testing.T, s *voicetest.Server, user string, stage bool) *wire {
	w := &wire{t: t, s: s, seq: -1, join: voicetest.Join{Guild: guild, Channel: channel, User: user, Session: "session-of-" + user, Stage: stage}}
	w.at = s.Admit(w.join)
	return w
}

// dial connects, and replaces an earlier connection.
func (w *wire) dial(path string) *wire {
	w.t.Helper()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: w.s.TLS()}}
	ws, _, err := websocket.Dial(w.t.Context(), "wss://"+w.at.Endpoint+path, &websocket.DialOptions{HTTPClient: client})
	if err != nil {
		w.t.Fatal(err)
	}
	ws.SetReadLimit(1 << 20)
	w.t.Cleanup(func() { _ = ws.CloseNow(); client.CloseIdleConnections() })
	w.ws = ws
	return w
}

func (w *wire) read() (frame, error) {
	ctx, cancel := context.WithTimeout(w.t.Context(), 10*time.Second)
	defer cancel()
	kind, data, err := w.ws.Read(ctx)
	if err != nil {
		return frame{}, err
	}
	var f frame
	if kind == websocket.MessageBinary {
		w.seq = int(data[0])<<8 | int(data[1])
		return frame{Op: int(data[2]), Seq: &w.seq, Data: data[3:]}, nil
	}
	err = json.Unmarshal(data, &f)
	if f.Seq != nil {
		w.seq = *f.Seq
	}
	return f, err
}

// next returns the next message with the opcode and skips others.
func (w *wire) next(op int) frame {
	w.t.Helper()
	for {
		f, err := w.read()
		if err != nil {
			w.t.Fatalf("waiting for opcode %d: %v", op, err)
		}
		if f.Op == op {
			return f
		}
	}
}

// closed returns the server's close code.
func (w *wire) closed() int {
	w.t.Helper()
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

func (w *wire) send(format string, args ...any) {
	w.t.Helper()
	if err := w.ws.Write(w.t.Context(), websocket.MessageText, fmt.Appendf(nil, format, args...)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wire) identify() {
	w.t.Helper()
	w.send(`{"op":0,"d":{"server_id":%q,"user_id":%q,"session_id":%q,"token":%q,"max_dave_protocol_version":1}}`,
		w.join.Guild, w.join.User, w.join.Session, w.at.Token)
}

func (w *wire) resume(ack int) {
	w.t.Helper()
	w.send(`{"op":7,"d":{"server_id":%q,"session_id":%q,"token":%q,"seq_ack":%d}}`, w.join.Guild, w.join.Session, w.at.Token, ack)
}

// enter runs the handshake up to the session description.
func (w *wire) enter(mode string) *wire {
	w.t.Helper()
	w.dial("/?v=8")
	w.next(8)
	w.identify()
	var ready struct {
		SSRC uint32 `json:"ssrc"`
		IP   string `json:"ip"`
		Port int    `json:"port"`
	}
	if err := json.Unmarshal(w.next(2).D, &ready); err != nil {
		w.t.Fatal(err)
	}
	w.ssrc = ready.SSRC
	udp, err := net.Dial("udp4", net.JoinHostPort(ready.IP, strconv.Itoa(ready.Port)))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = udp.Close() })
	w.udp = udp
	d, err := voice.ParseDiscovery(w.exchange(voice.Discovery{SSRC: w.ssrc}.Append(nil)))
	if err != nil || d.Addr.String() != udp.LocalAddr().String() {
		w.t.Fatalf("discovered %v, %v, want %s", d, err, udp.LocalAddr())
	}
	w.send(`{"op":1,"d":{"protocol":"udp","data":{"address":%q,"port":%d,"mode":%q}}}`, d.Addr.Addr(), d.Addr.Port(), mode)
	var description struct {
		Mode string `json:"mode"`
		Key  []int  `json:"secret_key"`
	}
	if err := json.Unmarshal(w.next(4).D, &description); err != nil {
		w.t.Fatal(err)
	}
	key := make([]byte, len(description.Key))
	for i, v := range description.Key {
		key[i] = byte(v)
	}
	if w.sealer, err = voice.NewSealer(description.Mode, key); err != nil {
		w.t.Fatal(err)
	}
	if w.opener, err = voice.NewOpener(description.Mode, key); err != nil {
		w.t.Fatal(err)
	}
	w.header = voice.Header{PayloadType: voice.PayloadType, SSRC: w.ssrc, Sequence: 65530, Timestamp: 1<<32 - 2000}
	return w
}

// exchange sends a packet and returns the next one received.
func (w *wire) exchange(packet []byte) []byte {
	w.t.Helper()
	w.transmit(packet)
	return w.receive()
}

func (w *wire) transmit(packet []byte) {
	w.t.Helper()
	if _, err := w.udp.Write(packet); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wire) receive() []byte {
	w.t.Helper()
	buf := make([]byte, 2048)
	_ = w.udp.SetReadDeadline(time.Now().Add(10 * time.Second))
	n, err := w.udp.Read(buf)
	if err != nil {
		w.t.Fatal(err)
	}
	return buf[:n]
}

// seal returns the next packet of the user's sound.
func (w *wire) seal(payload []byte) []byte {
	w.t.Helper()
	w.header.Sequence++
	w.header.Timestamp += voice.FrameSamples
	packet, err := w.sealer.Seal(nil, w.header, payload)
	if err != nil {
		w.t.Fatal(err)
	}
	return packet
}

func (w *wire) speak(flags int) {
	w.t.Helper()
	w.send(`{"op":5,"d":{"speaking":%d,"delay":0,"ssrc":%d}}`, flags, w.ssrc)
}

func TestSpeechByHand(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{voicetest.AES256GCM, voicetest.XChaCha20} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := voicetest.New(t, nil)
			a, b := admit(t, s, alice, true).enter(mode), admit(t, s, bob, true).enter(mode)
			s.SetWire(guild, channel, bob, voicetest.Wire{Padding: 7, Extension: 2})
			b.next(11)
			a.next(11)
			a.speak(1)
			var said struct {
				User string `json:"user_id"`
				SSRC uint32 `json:"ssrc"`
			}
			if err := json.Unmarshal(b.next(5).D, &said); err != nil || said.User != alice || said.SSRC != a.ssrc {
				t.Errorf("speaking = %+v, %v, want user %s with ssrc %d", said, err, alice, a.ssrc)
			}
			for i := range 20 { // across the overflow of sequence and timestamp
				payload := speech('a', i, 1)[0]
				if full := uint32(math.MaxUint32 - voice.FrameSamples); mode == voicetest.XChaCha20 && a.header.Timestamp > full {
					a.header.Timestamp = full + 1 // as in a library that restarts at 0
				}
				a.transmit(a.seal(payload))
				h, got, err := b.opener.Open(b.receive())
				if err != nil || string(got) != string(payload) || h.SSRC != a.ssrc || h.Sequence != a.header.Sequence || h.Timestamp != a.header.Timestamp {
					t.Fatalf("packet %d is %+v with %x, %v, want %x", i, h, got, err, payload)
				}
				if h.Padding != 7 || len(h.Extension) != 8 {
					t.Fatalf("packet %d has %d bytes of padding and %d of extension, want 7 and 8", i, h.Padding, len(h.Extension))
				}
			}
			if got := a.exchange(voice.AppendKeepAlive(nil, 77)); len(got) != voice.KeepAliveSize {
				t.Errorf("a keep-alive is answered with %x", got)
			}
			if n := len(s.Arrivals(guild, alice)); n != 20 {
				t.Errorf("%d packets arrived, want 20", n)
			}
		})
	}
}

func TestServerBlames(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		do   func(a *wire)
		want string
	}{
		{"sound before speaking", func(a *wire) { a.transmit(a.seal([]byte("early"))) }, "before Speaking"},
		{"wrong key", func(a *wire) {
			a.speak(1)
			p := a.seal([]byte("once"))
			p[len(p)-6] ^= 1
			a.transmit(p)
		}, "does not open"},
		{"a nonce twice", func(a *wire) {
			a.speak(1)
			p := a.seal([]byte("once"))
			a.transmit(p)
			a.transmit(p)
		}, "twice with one key"},
		{"backwards", func(a *wire) {
			a.speak(1)
			a.transmit(a.seal([]byte("once")))
			a.header.Sequence -= 5
			a.transmit(a.seal([]byte("again")))
		}, "after 65531"},
		{"timestamp", func(a *wire) {
			a.speak(1)
			a.transmit(a.seal([]byte("once")))
			a.header.Timestamp += 3
			a.transmit(a.seal([]byte("again")))
		}, "timestamp"},
		{"too fast", func(a *wire) {
			a.speak(1)
			for n := 1; n <= 150; n++ { // packets delayed by three seconds are no flood
				a.transmit(a.seal([]byte("late")))
				if n%10 != 0 { // otherwise the system would lose some
					continue
				}
				if _, err := a.s.AwaitClient(a.t.Context(), guild, alice, func(c voicetest.Client) bool { return c.Packets >= n }); err != nil {
					a.t.Fatal(err)
				}
			}
			for _, f := range a.s.TakeFaults() {
				a.t.Error(f)
			}
			for n := range 400 {
				a.transmit(a.seal([]byte("quick")))
				if n%10 == 0 {
					time.Sleep(time.Millisecond)
				}
			}
		}, "packets a second"},
		{"no silence", func(a *wire) {
			a.speak(1)
			a.transmit(a.seal([]byte("word")))
			if _, err := a.s.AwaitClient(a.t.Context(), guild, alice, func(c voicetest.Client) bool { return c.Packets == 1 }); err != nil {
				a.t.Fatal(err)
			}
			a.speak(0)
		}, "silence frames"},
		{"payload type", func(a *wire) { a.header.PayloadType = 111; a.transmit(a.seal([]byte("vp8"))) }, "payload type 111"},
		{"no packet", func(a *wire) { a.transmit([]byte("hello")) }, "no RTP"},
		{"another's ssrc", func(a *wire) { a.send(`{"op":5,"d":{"speaking":1,"delay":0,"ssrc":1}}`) }, "instead of"},
		{"an ack of what was not sent", func(a *wire) { a.send(`{"op":3,"d":{"t":1,"seq_ack":999}}`) }, "acknowledges"},
		{"a heartbeat without seq_ack", func(a *wire) { a.send(`{"op":3,"d":{"t":1}}`) }, "without seq_ack"},
		{"a transition of nobody", func(a *wire) { a.send(`{"op":23,"d":{"transition_id":9}}`) }, "nobody asked for"},
		{"a key package on a stage", func(a *wire) {
			if err := a.ws.Write(a.t.Context(), websocket.MessageBinary, []byte{26, 0}); err != nil {
				a.t.Fatal(err)
			}
		}, "nothing is encrypted"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			a := admit(t, voicetest.New(t, nil), alice, true).enter(voicetest.AES256GCM)
			row.do(a)
			if err := a.s.AwaitFault(t.Context(), row.want); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestServerRefuses(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		stage bool
		do    func(a *wire)
		code  int
		fault string // empty: no fault of the client
	}{
		{"version", true, func(a *wire) { a.dial("/?v=7") }, voicetest.CloseUnknownProtocol, "v=7"},
		{"no message", true, func(a *wire) { a.dial("/?v=8").send("hello") }, voicetest.CloseDecodeError, "does not decode"},
		{"select first", true, func(a *wire) { a.dial("/?v=8").send(`{"op":1,"d":{}}`) }, voicetest.CloseNotAuthenticated, "before identify"},
		{"token", true, func(a *wire) { a.at.Token = "none"; a.dial("/?v=8").identify() }, voicetest.CloseAuthenticationFailed, ""},
		{"session", true, func(a *wire) { a.join.Session = "none"; a.dial("/?v=8").identify() }, voicetest.CloseSessionInvalid, "somebody else"},
		{"identify twice", true, func(a *wire) { a.dial("/?v=8").identify(); a.identify() }, voicetest.CloseAlreadyAuthenticated, "second identify"},
		{"no encryption", false, func(a *wire) {
			a.dial("/?v=8").send(`{"op":0,"d":{"server_id":%q,"user_id":%q,"session_id":%q,"token":%q}}`, guild, alice, a.join.Session, a.at.Token)
		}, voicetest.CloseEncryptionRequired, ""},
		{"mode", true, func(a *wire) {
			a.dial("/?v=8").identify()
			a.send(`{"op":1,"d":{"protocol":"udp","data":{"address":"127.0.0.1","port":1,"mode":"xsalsa20_poly1305"}}}`)
		}, voicetest.CloseUnknownMode, "not offered"},
		{"unknown opcode", true, func(a *wire) { a.dial("/?v=8").identify(); a.send(`{"op":99,"d":{}}`) }, voicetest.CloseUnknownOpcode, "unknown opcode"},
		{"heartbeats stop", true, func(a *wire) { a.enter(voicetest.AES256GCM) }, voicetest.CloseSessionTimedOut, "heartbeats stopped"},
		{"removed", true, func(a *wire) { a.enter(voicetest.AES256GCM); a.s.Expel(guild, alice) }, voicetest.CloseDisconnected, ""},
		{"moved", true, func(a *wire) {
			a.enter(voicetest.AES256GCM)
			a.s.Admit(voicetest.Join{Guild: guild, Channel: "5", User: alice, Session: "s", Stage: true})
		}, voicetest.CloseDisconnected, ""},
		{"told to", true, func(a *wire) { a.enter(voicetest.AES256GCM); a.s.CloseWith(guild, alice, voicetest.CloseServerCrashed) }, voicetest.CloseServerCrashed, ""},
		{"bad key package", false, func(a *wire) {
			a.enter(voicetest.AES256GCM)
			_ = a.ws.Write(a.t.Context(), websocket.MessageBinary, []byte{26, 1, 2, 3})
		}, voicetest.CloseBadRequest, "key package"},
		{"bad commit", false, func(a *wire) {
			a.enter(voicetest.AES256GCM)
			_ = a.ws.Write(a.t.Context(), websocket.MessageBinary, []byte{28, 1, 2, 3})
		}, voicetest.CloseBadRequest, "commit"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			o := &voicetest.Options{}
			if row.name == "heartbeats stop" {
				o.Heartbeat = 300 * time.Millisecond
			}
			a := admit(t, voicetest.New(t, o), alice, row.stage)
			row.do(a)
			if code := a.closed(); code != row.code {
				t.Errorf("closed with %d, want %d", code, row.code)
			}
			faults := strings.Join(a.s.TakeFaults(), "\n")
			if row.fault == "" && faults != "" || !strings.Contains(faults, row.fault) {
				t.Errorf("faults are %q, want %q", faults, row.fault)
			}
		})
	}
}

func TestResume(t *testing.T) {
	t.Parallel()
	for _, first := range []bool{false, true} {
		t.Run(fmt.Sprintf("replay first %v", first), func(t *testing.T) {
			t.Parallel()
			s := voicetest.New(t, &voicetest.Options{ReplayFirst: first, FirstSequence: 65534}) // the numbers wrap
			a, b := admit(t, s, alice, true).enter(voicetest.AES256GCM), admit(t, s, bob, true).enter(voicetest.AES256GCM)
			a.next(20) // the last message about Bob
			seen := a.seq
			s.Drop(guild, alice)
			if _, err := a.read(); err == nil {
				t.Fatal("the connection goes on")
			}
			b.speak(1)
			b.speak(0)
			if _, err := s.AwaitClient(t.Context(), guild, alice, func(c voicetest.Client) bool { return c.InChannel && !c.Connected }); err != nil {
				t.Fatal(err)
			}
			if _, err := s.AwaitClient(t.Context(), guild, bob, func(c voicetest.Client) bool { return c.Spoke == 2 }); err != nil {
				t.Fatal(err)
			}
			a.dial("/?v=8").next(8)
			a.resume(seen)
			want := []int{9, 5, 5}
			if first {
				want = []int{5, 5, 9}
			}
			for _, op := range want {
				if f, err := a.read(); err != nil || f.Op != op {
					t.Fatalf("got opcode %d, %v, want %v", f.Op, err, want)
				}
			}
			if (a.seq-seen)&0xFFFF != 2 {
				t.Errorf("message %d was the last, want two after %d", a.seq, seen)
			}
			if c, _ := s.Client(guild, alice); c.Resumed != 1 || c.Identified != 1 {
				t.Errorf("resumed %d times after %d identifies, want 1 and 1", c.Resumed, c.Identified)
			}
		})
	}
}

func TestResumeFails(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		replay int
		lose   func(s *voicetest.Server, b *wire)
		ack    int
		fault  bool
	}{
		{"forgotten", 0, func(s *voicetest.Server, _ *wire) { s.Forget(guild, alice) }, 0, false},
		{"too much was missed", 2, func(s *voicetest.Server, b *wire) {
			for range 3 {
				b.speak(1)
			}
		}, 0, false},
		{"an ack that cannot be", 0, nil, 99, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := voicetest.New(t, &voicetest.Options{Replay: row.replay})
			a, b := admit(t, s, alice, true).enter(voicetest.AES256GCM), admit(t, s, bob, true).enter(voicetest.AES256GCM)
			a.next(20)
			seen := a.seq
			if row.lose != nil {
				row.lose(s, b)
				if row.replay > 0 {
					if _, err := s.AwaitClient(t.Context(), guild, bob, func(c voicetest.Client) bool { return c.Spoke == 3 }); err != nil {
						t.Fatal(err)
					}
				}
			}
			s.Drop(guild, alice)
			a.dial("/?v=8").next(8)
			if row.ack > 0 {
				seen = row.ack
			}
			a.resume(seen)
			if code := a.closed(); code != voicetest.CloseSessionInvalid {
				t.Errorf("closed with %d, want %d", code, voicetest.CloseSessionInvalid)
			}
			if faults := s.TakeFaults(); (len(faults) > 0) != row.fault {
				t.Errorf("faults are %q, want some: %v", faults, row.fault)
			}
		})
	}
}

func TestHeartbeatsAreAnswered(t *testing.T) {
	t.Parallel()
	s := voicetest.New(t, nil)
	a := admit(t, s, alice, true).enter(voicetest.AES256GCM)
	s.SwallowHeartbeats(1)
	for _, beat := range []string{"1700000000001", "1700000000002"} {
		a.send(`{"op":3,"d":{"t":%s,"seq_ack":%d}}`, beat, a.seq)
	}
	if got := string(a.next(6).D); got != `{"t":1700000000002}` {
		t.Errorf("the answer is %s, want that to the second", got)
	}
	if c, _ := s.Client(guild, alice); c.Heartbeats != 2 || c.SeqAck != a.seq {
		t.Errorf("%d heartbeats with ack %d, want 2 with %d", c.Heartbeats, c.SeqAck, a.seq)
	}
}

func TestDiscoveryIsLost(t *testing.T) {
	t.Parallel()
	s := voicetest.New(t, nil)
	a := admit(t, s, alice, true).enter(voicetest.AES256GCM)
	s.LoseDiscovery(1)
	ask := voice.Discovery{SSRC: a.ssrc}.Append(nil)
	a.transmit(ask)
	d, err := voice.ParseDiscovery(a.exchange(ask))
	if err != nil || d.SSRC != a.ssrc {
		t.Errorf("the second is answered with %v, %v", d, err)
	}
}

// two returns Alice and Bob on a stage, as wires.
func two(t *testing.T) (s *voicetest.Server, a, b *wire) {
	t.Helper()
	s = voicetest.New(t, nil)
	a, b = admit(t, s, alice, true).enter(voicetest.AES256GCM), admit(t, s, bob, true).enter(voicetest.AES256GCM)
	b.next(11)
	a.next(11)
	return s, a, b
}

// heard returns the payload of the next packet, and its header.
func (w *wire) heard() (string, voice.Header) {
	w.t.Helper()
	h, payload, err := w.opener.Open(w.receive())
	if err != nil {
		w.t.Fatal(err)
	}
	return string(payload), h
}

func TestWire(t *testing.T) {
	t.Parallel()
	s, a, b := two(t)
	a.speak(1)
	b.next(5)
	say := func(words ...string) {
		t.Helper()
		for _, word := range words {
			a.transmit(a.seal([]byte(word)))
		}
	}
	s.SetWire(guild, channel, bob, voicetest.Wire{Sources: 3, Extension: 1, Padding: 200})
	say("first")
	if word, h := b.heard(); word != "first" || len(h.CSRC) != 12 || len(h.Extension) != 4 || h.Padding != 200 {
		t.Errorf("heard %q with %+v, want three sources, a word of extension and 200 bytes of padding", word, h)
	}
	s.SetWire(guild, channel, bob, voicetest.Wire{EmptyExtension: true})
	say("second")
	if word, h := b.heard(); word != "second" || !h.Extended || len(h.Extension) != 0 {
		t.Errorf("heard %q with %+v, want an empty extension", word, h)
	}
	s.SetWire(guild, channel, bob, voicetest.Wire{Duplicate: 1})
	say("third")
	one, two := string(b.receive()), string(b.receive())
	if one != two {
		t.Errorf("a packet comes as %x, and then as %x", one, two)
	}
	s.SetWire(guild, channel, bob, voicetest.Wire{Reorder: 1})
	say("fourth", "fifth")
	if x, _ := b.heard(); x != "fifth" {
		t.Errorf("heard %q first, want what was said last", x)
	}
	if x, _ := b.heard(); x != "fourth" {
		t.Errorf("heard %q second, want what was said first", x)
	}
	s.SetWire(guild, channel, bob, voicetest.Wire{Loss: 1})
	say("lost")
	if _, err := s.AwaitClient(t.Context(), guild, bob, func(c voicetest.Client) bool { return c.Lost == 1 }); err != nil {
		t.Fatal(err)
	}
	s.SetWire(guild, channel, bob, voicetest.Wire{})
	s.DropUDP(guild, bob, true)
	say("dropped")
	if _, err := s.AwaitClient(t.Context(), guild, alice, func(c voicetest.Client) bool { return c.Packets == 7 }); err != nil {
		t.Fatal(err)
	}
	s.DropUDP(guild, bob, false)
	s.Mute(guild, alice, true)
	say("muted")
	for range 5 {
		if x, _ := b.heard(); x != voice.Silence {
			t.Errorf("heard %q of somebody who was muted, want silence", x)
		}
	}
	if _, err := s.AwaitClient(t.Context(), guild, alice, func(c voicetest.Client) bool { return c.Packets == 8 }); err != nil {
		t.Fatal(err)
	}
	s.Mute(guild, alice, false)
	before := a.header.Sequence
	say("again")
	if x, h := b.heard(); x != "again" || h.Sequence != before+1+5 || h.Timestamp != a.header.Timestamp+5*voice.FrameSamples {
		t.Errorf("heard %q with %+v, want it after five frames of silence", x, h)
	}
	s.ShowVideo(guild, alice, true)
	say("seen")
	if x, _ := b.heard(); x != "seen" {
		t.Errorf("heard %q", x)
	}
	if _, h := b.heard(); h.PayloadType == voice.PayloadType || h.SSRC == a.ssrc {
		t.Errorf("the second packet of who shows video is %+v", h)
	}
}

func TestSoundIsAheadOfSpeaking(t *testing.T) {
	t.Parallel()
	s, a, b := two(t)
	s.SpeakLate(200 * time.Millisecond)
	a.transmit(a.seal([]byte("early"))) // the packet waits for Alice's Speaking, and Bob's even longer
	a.speak(1)
	if x, _ := b.heard(); x != "early" {
		t.Errorf("heard %q", x)
	}
	if c, _ := s.Client(guild, bob); c.Forwarded != 1 {
		t.Errorf("%d packets were forwarded, want 1", c.Forwarded)
	}
	b.next(5)
}

func TestMessagesAreWithheld(t *testing.T) {
	t.Parallel()
	s, a, b := two(t)
	s.Withhold(guild, bob, 5)
	a.speak(1)
	if _, err := s.AwaitClient(t.Context(), guild, alice, func(c voicetest.Client) bool { return c.Spoke == 1 }); err != nil {
		t.Fatal(err)
	}
	s.Withhold(guild, bob)
	a.speak(4)
	var said struct {
		Speaking int `json:"speaking"`
	}
	if err := json.Unmarshal(b.next(5).D, &said); err != nil || said.Speaking != 4 {
		t.Errorf("the first speaking is %+v, %v, want the second", said, err)
	}
}
