package voice

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

// received opens the bot's packets, without keep-alives.
func (tb *table) received(m *fakeMedia) (headers []Header, payloads [][]byte) {
	tb.t.Helper()
	opener, err := NewOpener(tb.mode(), tb.key)
	if err != nil {
		tb.t.Fatal(err)
	}
	for len(m.fromBot) > 0 {
		p := <-m.fromBot
		if _, ok := ParseKeepAlive(p); ok {
			continue
		}
		h, payload, err := opener.Open(p)
		if err != nil {
			tb.t.Fatalf("the bot's packet: %v", err)
		}
		headers, payloads = append(headers, h), append(payloads, payload)
	}
	return headers, payloads
}

// TestSpurt: Speaking precedes the first frame, five frames of silence and Speaking off follow
// the last, and the timestamps advance during the pause.
func TestSpurt(t *testing.T) {
	for _, modes := range [][]string{{AES256GCM}, {XChaCha20Poly1305}} {
		t.Run(modes[0], func(t *testing.T) {
			inBubble(t, func(tb *table) { tb.modes = modes }, func(t *testing.T, tb *table) {
				g, m := tb.connect()
				for i := range 3 {
					if i > 0 {
						time.Sleep(20 * time.Millisecond)
					}
					if err := tb.c.Write(t.Context(), frame()); err != nil {
						t.Fatal(err)
					}
				}
				synctest.Wait()
				last := time.Now()
				tb.expectSpeaking(g, 1)
				headers, payloads := tb.received(m)
				if len(headers) != 3 {
					t.Fatalf("%d packets", len(headers))
				}
				checkContinuous(t, headers, []uint32{960, 960})
				decoder, err := opus.NewDecoder(nil)
				if err != nil {
					t.Fatal(err)
				}
				var heard audio.Frame
				if err := decoder.Decode(&heard, payloads[2]); err != nil {
					t.Errorf("what was sent: %v", err)
				}
				tb.expectSpeaking(g, 0)
				if got := time.Since(last); got != spurtGap+silences*audio.FrameDuration {
					t.Errorf("speaking ends after %v", got)
				}
				silent, payloads := tb.received(m)
				if len(silent) != silences {
					t.Fatalf("%d packets of silence, want %d", len(silent), silences)
				}
				for _, p := range payloads {
					if string(p) != Silence {
						t.Errorf("silence = %x", p)
					}
				}
				checkContinuous(t, slices.Concat(headers, silent), []uint32{960, 960, 3 * 960, 960, 960, 960, 960})
				time.Sleep(time.Second - 20*time.Millisecond)
				tb.talk(t)
				tb.expectSpeaking(g, 1)
				again, _ := tb.received(m)
				checkContinuous(t, slices.Concat(silent[4:], again), []uint32{50 * 960})
			})
		})
	}
}

func (tb *table) expectSpeaking(g *fakeGateway, bits int) {
	tb.t.Helper()
	var d speakingData
	if err := json.Unmarshal(tb.expect(g, opSpeaking).data, &d); err != nil {
		tb.t.Fatal(err)
	}
	if d.Speaking != bits || d.SSRC != botSSRC {
		tb.t.Errorf("speaking = %+v, want %d", d, bits)
	}
}

// checkContinuous checks the sequence numbers and the steps of the timestamps.
func checkContinuous(t *testing.T, headers []Header, steps []uint32) {
	t.Helper()
	for i, h := range headers {
		if h.SSRC != botSSRC || h.PayloadType != PayloadType || h.Marker || h.Extended || h.Padding > 0 {
			t.Errorf("header %d = %+v", i, h)
		}
		if i == 0 {
			continue
		}
		if h.Sequence != headers[i-1].Sequence+1 {
			t.Errorf("sequence goes from %d to %d", headers[i-1].Sequence, h.Sequence)
		}
		if got := h.Timestamp - headers[i-1].Timestamp; got != steps[i-1] {
			t.Errorf("timestamp %d goes on by %d, want %d", i, got, steps[i-1])
		}
	}
}

// TestSpeakingComesFirst, because the server drops sound before Speaking.
func TestSpeakingComesFirst(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, tb *table) {
		g, m := tb.connect()
		g.stall()
		if err := tb.c.Write(t.Context(), frame()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if len(m.fromBot) > 0 {
			t.Error("sound was sent before Speaking")
		}
		time.Sleep(100 * time.Millisecond)
		g.unstall()
		synctest.Wait()
		if len(m.fromBot) != 1 {
			t.Errorf("%d packets after Speaking", len(m.fromBot))
		}
		tb.expectSpeaking(g, 1)
	})
}

// TestSpurtGoesOn: a frame in time replaces the silence, and the spurt continues.
func TestSpurtGoesOn(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, tb *table) {
		g, m := tb.connect()
		tb.talk(t)
		tb.expectSpeaking(g, 1)
		time.Sleep(100 * time.Millisecond) // three frames of silence
		tb.talk(t)
		headers, payloads := tb.received(m)
		if len(headers) != 5 || string(payloads[3]) != Silence || string(payloads[4]) == Silence {
			t.Fatalf("%d packets", len(headers))
		}
		time.Sleep(40 * time.Millisecond)
		tb.talk(t)
		if len(g.fromBot) > 0 {
			t.Errorf("the bot sent opcode %d", (<-g.fromBot).op)
		}
	})
}

// TestWriteWaits: sound waits for a new connection, but not forever.
func TestWriteWaits(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, tb *table) {
		g, _ := tb.connect()
		g.hangUp(closeSessionInvalid)
		synctest.Wait()
		lost := time.Now()
		written := make(chan error, 1)
		go func() {
			for range frameQueue + 1 {
				if err := tb.c.Write(t.Context(), frame()); err != nil {
					written <- err
				}
			}
			written <- nil
		}()
		synctest.Wait()
		if len(written) > 0 {
			t.Fatal("sound does not wait")
		}
		g = tb.dial()
		m := tb.begin(g)
		if err := <-written; err != nil {
			t.Errorf("Write = %v", err)
		}
		synctest.Wait()
		if headers, _ := tb.received(m); len(headers) != frameQueue+1 {
			t.Errorf("%d packets, want all that waited", len(headers))
		}
		if took := time.Since(lost); took >= patience {
			t.Fatalf("the connection was back after %v only", took)
		}
		tb.net.refuse = func(string) error { return errors.New("no route") }
		g.hangUp(closeSessionInvalid)
		synctest.Wait()
		lost = time.Now()
		for range frameQueue {
			if err := tb.c.Write(t.Context(), frame()); err != nil {
				t.Error(err)
			}
		}
		if err := tb.c.Write(t.Context(), frame()); !errors.Is(err, ErrNotConnected) {
			t.Errorf("Write = %v, want ErrNotConnected", err)
		}
		if took := time.Since(lost); took != patience {
			t.Errorf("sound waited for %v", took)
		}
		if err := tb.c.Write(t.Context(), frame()); !errors.Is(err, ErrNotConnected) {
			t.Errorf("Write = %v, want ErrNotConnected", err)
		}
		if took := time.Since(lost); took != patience {
			t.Errorf("sound waited for %v altogether", took)
		}
	})
}

func TestKeepAlive(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, tb *table) {
		tb.net.alive = true
		_, m := tb.connect()
		for want := uint32(1); want < 4; want++ {
			at := time.Now()
			p := <-m.fromBot
			if got, ok := ParseKeepAlive(p); !ok || got != want {
				t.Fatalf("keep-alive = %x", p)
			}
			if took := time.Since(at).Round(time.Second); took != keepAlive {
				t.Errorf("keep-alive after %v", took)
			}
			time.Sleep(7 * time.Millisecond)
			m.toBot <- p
			synctest.Wait()
		}
		if got := tb.c.Stats().UDPRoundTrip; got != 7*time.Millisecond {
			t.Errorf("round trip = %v", got)
		}
		at := time.Now()
		tb.expect(tb.dial(), opIdentify) // none of the keep-alives since was echoed
		if took := time.Since(at).Round(time.Second); took != (maxUnechoed+1)*keepAlive {
			t.Errorf("the session failed after %v", took)
		}
	})
}

// hearing is a connection that receives Alice's packets.
type hearing struct {
	*table
	g    *fakeGateway
	m    *fakeMedia
	seal *Sealer
}

func (tb *table) listen() *hearing {
	tb.t.Helper()
	h := &hearing{table: tb}
	h.g, h.m = tb.connect()
	seal, err := NewSealer(tb.mode(), tb.key)
	if err != nil {
		tb.t.Fatal(err)
	}
	h.seal = seal
	return h
}

// send sends a packet with a payload.
func (h *hearing) send(header Header, payload string) {
	h.t.Helper()
	if header.PayloadType == 0 {
		header.PayloadType = PayloadType
	}
	p, err := h.seal.Seal(nil, header, []byte(payload))
	if err != nil {
		h.t.Fatal(err)
	}
	h.m.toBot <- p
}

func (h *hearing) name(user string, ssrc uint32, bits int) {
	h.g.say(opSpeaking, speakingData{Speaking: bits, SSRC: ssrc, User: user})
	synctest.Wait()
}

// check compares the packets passed on since the last call.
func (h *hearing) check(want ...heardPacket) {
	h.t.Helper()
	synctest.Wait()
	_, _, got := h.take()
	if !slices.EqualFunc(got, want, func(a, b heardPacket) bool {
		return a.user == b.user && a.Seq == b.Seq && bytes.Equal(a.Payload, b.Payload)
	}) {
		h.t.Errorf("heard %v\nwant %v", got, want)
	}
}

func packet(user string, seq uint16, payload string) heardPacket {
	return heardPacket{user, Packet{Seq: seq, Payload: []byte(payload)}}
}

// TestHear hears packets of every shape, in each mode.
func TestHear(t *testing.T) {
	extension := []byte("\x10\xff\x00\x00abcd")
	for _, modes := range [][]string{{AES256GCM}, {XChaCha20Poly1305}} {
		t.Run(modes[0], func(t *testing.T) {
			inBubble(t, func(tb *table) { tb.modes = modes }, func(t *testing.T, tb *table) {
				h := tb.listen()
				h.name(aliceID, aliceSSRC, 1)
				h.send(Header{SSRC: aliceSSRC, Sequence: 65535}, "one")
				h.send(Header{SSRC: aliceSSRC, Sequence: 0, Padding: 9}, "two")
				h.send(Header{SSRC: aliceSSRC, Sequence: 1, Extended: true, Profile: 0xbede, Extension: extension}, "three")
				h.send(Header{SSRC: aliceSSRC, Sequence: 2, Extended: true, Profile: 0xbede, Extension: extension, Padding: 4, Marker: true}, "four")
				h.send(Header{SSRC: aliceSSRC, Sequence: 3, CSRC: []byte("abcd")}, Silence)
				h.check(packet(aliceID, 65535, "one"), packet(aliceID, 0, "two"), packet(aliceID, 1, "three"), packet(aliceID, 2, "four"),
					packet(aliceID, 3, Silence))
				if in := h.c.Stats().In; in != (Received{Packets: 5, Heard: 5}) {
					t.Errorf("stats = %+v", in)
				}
			})
		})
	}
}

// TestHearBeforeSpeaking: only Speaking names the user of a stream. Frames wait until then.
func TestHearBeforeSpeaking(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, tb *table) {
		h := tb.listen()
		h.g.say(opClientsConnect, map[string]any{"user_ids": []string{aliceID}})
		for i := range uint16(heldFrames + 5) {
			h.send(Header{SSRC: aliceSSRC, Sequence: 10 + i}, string(rune('a'+i)))
		}
		h.check()
		h.name(aliceID, aliceSSRC, 1)
		var want []heardPacket
		for i := range uint16(heldFrames) {
			want = append(want, packet(aliceID, 15+i, string(rune('a'+5+i))))
		}
		h.check(want...)
		if in := h.c.Stats().In; in.Unknown != 5 || in.Heard != heldFrames {
			t.Errorf("stats = %+v", in)
		}
		h.send(Header{SSRC: 555, Sequence: 1}, "long ago")
		time.Sleep(heldFor + time.Millisecond)
		h.send(Header{SSRC: 555, Sequence: 2}, "now")
		h.name(bobID, 555, 1)
		h.check(packet(bobID, 2, "now"))
	})
}

// TestHearManyUnknown: the number of unnamed streams is bounded.
func TestHearManyUnknown(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, tb *table) {
		h := tb.listen()
		for i := range uint32(heldStreams + 1) {
			h.send(Header{SSRC: 1000 + i, Sequence: 1}, "x")
			time.Sleep(time.Millisecond)
		}
		synctest.Wait()
		h.name(aliceID, 1000, 1)
		h.check() // the oldest made room
		h.name(bobID, 1000+heldStreams, 1)
		h.check(packet(bobID, 1, "x"))
		if got := h.c.Stats().In.Unknown; got != 1 {
			t.Errorf("%d unknown, want 1", got)
		}
	})
}

// TestHearSeveralStreams: only a user's microphone is heard, with numbers that continue under
// another ssrc.
func TestHearSeveralStreams(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, tb *table) {
		h := tb.listen()
		h.name(aliceID, aliceSSRC, 1)
		h.name(aliceID, 200, 2) // shared sound, no microphone
		h.send(Header{SSRC: aliceSSRC, Sequence: 100}, "voice")
		h.send(Header{SSRC: 200, Sequence: 7000}, "music")
		h.send(Header{SSRC: 300, Sequence: 1, PayloadType: 101}, "video")
		h.send(Header{SSRC: aliceSSRC, Sequence: 101}, "goes on")
		h.check(packet(aliceID, 100, "voice"), packet(aliceID, 101, "goes on"))
		h.name(aliceID, 400, 1)
		h.send(Header{SSRC: 400, Sequence: 9000}, "another")
		h.send(Header{SSRC: aliceSSRC, Sequence: 102}, "a late one of the first")
		h.send(Header{SSRC: 400, Sequence: 9001}, "microphone")
		h.check(packet(aliceID, 102, "another"), packet(aliceID, 103, "microphone"))
		time.Sleep(otherVoice)
		h.send(Header{SSRC: aliceSSRC, Sequence: 5}, "back at the first")
		h.check(packet(aliceID, 104, "back at the first"))
		if in := h.c.Stats().In; in.Ignored != 3 {
			t.Errorf("stats = %+v", in)
		}
	})
}

func TestHearNobodyWhoLeft(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, tb *table) {
		h := tb.listen()
		h.g.say(opClientsConnect, map[string]any{"user_ids": []string{aliceID, botID, "somebody"}})
		h.name(aliceID, aliceSSRC, 1)
		h.send(Header{SSRC: aliceSSRC, Sequence: 100}, "here")
		h.check(packet(aliceID, 100, "here"))
		h.g.say(opClientDisconnect, map[string]any{"user_id": aliceID})
		synctest.Wait()
		h.send(Header{SSRC: aliceSSRC, Sequence: 101}, "gone")
		h.check()
		h.g.say(opClientsConnect, map[string]any{"user_ids": []string{bobID}})
		h.name(bobID, aliceSSRC, 1) // now another user's
		h.send(Header{SSRC: aliceSSRC, Sequence: 3}, "much too late, or new")
		h.send(Header{SSRC: aliceSSRC, Sequence: 4}, "new")
		h.check(packet(bobID, 101, "gone"), packet(bobID, 102, "new"))
	})
}

// TestHearDisorder: loss, duplicates and disorder are counted, and left for the lane to
// correct.
func TestHearDisorder(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, tb *table) {
		h := tb.listen()
		h.name(aliceID, aliceSSRC, 1)
		for _, seq := range []uint16{10, 9, 12, 11, 12, 15, 10, 16} {
			h.send(Header{SSRC: aliceSSRC, Sequence: seq}, "x")
		}
		h.check(packet(aliceID, 10, "x"), packet(aliceID, 9, "x"), packet(aliceID, 12, "x"), packet(aliceID, 11, "x"),
			packet(aliceID, 15, "x"), packet(aliceID, 16, "x"))
		if in := h.c.Stats().In; in != (Received{Packets: 8, Heard: 6, Lost: 2, Late: 2}) {
			t.Errorf("stats = %+v", in)
		}
		h.send(Header{SSRC: aliceSSRC, Sequence: 20000}, "anew, far ahead")
		h.check(packet(aliceID, 17, "anew, far ahead"))
		h.send(Header{SSRC: aliceSSRC, Sequence: 500}, "far behind, once")
		h.check()
		h.send(Header{SSRC: aliceSSRC, Sequence: 501}, "anew")
		h.check(packet(aliceID, 18, "anew"))
	})
}

// TestHearBursts: packets that a bad network delayed for two seconds are all heard. A flood is
// cut to the normal rate and does not affect other users.
func TestHearBursts(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, tb *table) {
		h := tb.listen()
		h.name(aliceID, aliceSSRC, 1)
		h.name(bobID, 555, 1)
		seq := uint16(0)
		send := func(n int) (heard int) {
			for range n {
				h.send(Header{SSRC: aliceSSRC, Sequence: seq}, "x")
				seq++
				if seq%50 == 0 {
					synctest.Wait() // the socket's buffer is full
				}
			}
			synctest.Wait()
			_, _, got := h.take()
			return len(got)
		}
		for range 10 {
			time.Sleep(2 * time.Second)
			if n := send(100); n != 100 {
				t.Fatalf("%d of 100 packets are heard after two seconds without any", n)
			}
		}
		heard := 0
		for n := range 10 {
			time.Sleep(time.Second)
			heard += send(500)
			h.send(Header{SSRC: 555, Sequence: uint16(n)}, "y")
			h.check(packet(bobID, uint16(n), "y"))
		}
		if most := packetBurst + 11*packetRate; heard > most || heard < 10*50 {
			t.Errorf("%d packets of a flood are heard in ten seconds, want %d at most", heard, most)
		}
		if in := h.c.Stats().In; in.Flooded != uint64(5000-heard) {
			t.Errorf("stats = %+v, want %d flooded", in, 5000-heard)
		}
	})
}

// TestHearBroken: invalid packets are counted by cause and stop nothing.
func TestHearBroken(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, tb *table) {
		h := tb.listen()
		h.name(aliceID, aliceSSRC, 1)
		other, err := NewSealer(h.mode(), bytes.Repeat([]byte{9}, KeySize))
		if err != nil {
			t.Fatal(err)
		}
		sealed, err := other.Seal(nil, Header{PayloadType: PayloadType, SSRC: aliceSSRC}, []byte("x"))
		if err != nil {
			t.Fatal(err)
		}
		h.m.toBot <- sealed
		h.m.toBot <- nil
		h.m.toBot <- []byte("no packet")
		h.m.toBot <- append([]byte{0x80, 0x78}, make([]byte, 12)...)
		h.m.toBot <- append([]byte{0x81, 201}, make([]byte, 30)...)   // a report
		h.m.toBot <- make([]byte, DiscoverySize)                      // a discovery without content
		h.m.toBot <- Discovery{SSRC: botSSRC}.Append(nil)             // an unexpected discovery
		h.m.toBot <- AppendKeepAlive(nil, 99)                         // an unexpected keep-alive
		h.send(Header{SSRC: aliceSSRC, Sequence: 1, Padding: 20}, "") // padding only
		h.send(Header{SSRC: aliceSSRC, Sequence: 2}, "still heard")
		h.check(packet(aliceID, 2, "still heard"))
		if in := h.c.Stats().In; in != (Received{Packets: 8, Heard: 1, Ignored: 2, Malformed: 4, Transport: 1}) {
			t.Errorf("stats = %+v", in)
		}
	})
}
