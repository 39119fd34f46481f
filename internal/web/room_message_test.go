package web

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/pion/rtp"
)

func FuzzParseRequest(f *testing.F) {
	for _, seed := range []string{`{"type":"say","text":"Hello"}`, `{"type":"roll","dice":"1d20+3"}`, `{"type":"mute","on":true}`, `{"type":"dance"}`, `[]`, "\xff", strings.Repeat("x", maxMessage+1)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		q, err := parseRequest(data)
		if err == nil && len(data) > maxMessage {
			t.Error("a message that is too long was taken")
		}
		if err != nil && len(err.Error()) > 300 {
			t.Errorf("the refusal has %d bytes", len(err.Error()))
		}
		if err != nil {
			return
		}
		again, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		if len(again) <= maxMessage {
			if back, err := parseRequest(again); err != nil || back != q {
				t.Errorf("%+v comes back as %+v, %v", q, back, err)
			}
		}
	})
}

func FuzzReadJoining(f *testing.F) {
	f.Add(`{"invite":"x","name":"Ana","consent":true,"offer":"v=0"}`)
	f.Add(`{"name":"Ana","consent":true,"offer":"v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=rtpmap:111 opus/48000/2\r\nm=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n"}`)
	f.Add(`{"consent":true,"name":"\u202e","seat":"AAAAAAAAAAAAAAAAAAAAAAAAAA"}`)
	f.Fuzz(func(t *testing.T, body string) {
		in, err := readJoining(strings.NewReader(body))
		if err == nil && (!in.Consent || in.Name == "" || strings.ContainsAny(in.Name, "\n\r\t\u202e")) {
			t.Errorf("%+v was let through", in)
		}
	})
}

// TestASlotGoesOn: in a slot, the packets of the next speaker continue the numbers of the
// previous one, whatever their own numbers are. Late packets from before are dropped.
func TestASlotGoesOn(t *testing.T) {
	now, ana, ben := time.Now(), new(guest), new(guest)
	var o slot
	var last rtp.Header
	send := func(who *guest, sequence uint16, timestamp uint32, begins bool) (rtp.Header, bool) {
		var out rtp.Header
		ok := o.rewrite(&out, &rtp.Header{SequenceNumber: sequence, Timestamp: timestamp}, who, now, begins)
		return out, ok
	}
	follows := func(what string, got rtp.Header, ok bool, frames uint32) {
		t.Helper()
		if !ok || got.SequenceNumber != last.SequenceNumber+1 || got.Timestamp != last.Timestamp+frames*samplesPerFrame {
			t.Errorf("%s: %v at %d after %d at %d", what, got.SequenceNumber, got.Timestamp, last.SequenceNumber, last.Timestamp)
		}
		last = got
	}
	last, _ = send(ana, 65535, 4294967295, true)
	got, ok := send(ana, 0, 959, false)
	follows("wrapped", got, ok, 1)
	now = now.Add(2 * time.Second)
	got, ok = send(ben, 30000, 77, true)
	follows("another", got, ok, 100)
	if _, ok := send(ben, 29999, 1<<32-883, false); ok {
		t.Error("a packet from before was sent")
	}
	got, ok = send(ben, 30001, 77+960, false)
	follows("goes on", got, ok, 1)
}

// TestSlotsAreShared: a speaker without a free slot is not heard until one is free. A slot is
// never taken from a speaker.
func TestSlotsAreShared(t *testing.T) {
	now := time.Now()
	s := slots{all: make([]slot, voiceSlots)}
	var speakers [voiceSlots + 1]guest
	for i := range speakers {
		one, begins := s.acquire(&speakers[i], now)
		if i == voiceSlots {
			if one != nil {
				t.Error("a fifth speaker was given a slot")
			}
			continue
		}
		if one == nil || !begins {
			t.Fatalf("speaker %d has no slot", i)
		}
		one.rewrite(new(rtp.Header), new(rtp.Header), &speakers[i], now, true)
	}
	s.free(&speakers[2])
	if one, _ := s.acquire(&speakers[voiceSlots], now); one != &s.all[2] {
		t.Error("the slot of who has left is not taken")
	}
	if one, begins := s.acquire(&speakers[0], now); one != &s.all[0] || begins {
		t.Error("a speaker has lost the slot")
	}
}
