package discordtest_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// reader is a client that resumes, and the messages it received.
type reader struct {
	*wire
	rt      *rapid.T
	session string
	seq     int
	said    []string
	heard   []string
}

// until reads events up to a message with the text, or up to RESUMED if the
// text is empty. Sequence numbers must have no gap.
func (r *reader) until(text string) {
	for {
		f := r.next(0)
		if f.S != r.seq+1 {
			r.rt.Fatalf("sequence %d follows %d", f.S, r.seq)
		}
		r.seq = f.S
		var m struct {
			Content string `json:"content"`
		}
		if err := json.Unmarshal(f.D, &m); err != nil {
			r.rt.Fatal(err)
		}
		if f.T == "MESSAGE_CREATE" {
			r.heard = append(r.heard, m.Content)
		}
		if f.T == "MESSAGE_CREATE" && text == m.Content || f.T == "RESUMED" && text == "" {
			return
		}
	}
}

// reconnect drops the connection, runs meanwhile, and resumes.
func (r *reader) reconnect(meanwhile func()) {
	_ = r.ws.CloseNow()
	meanwhile()
	r.wire = dial(r.t, r.s, "")
	r.next(10)
	r.send(fmt.Sprintf(`{"op":6,"d":{"token":%q,"session_id":%q,"seq":%d}}`, r.s.Token(), r.session, r.seq))
	r.until("")
}

// TestNoEventIsLostOrTwice drops the connection at random, and checks that a
// client that resumes with its last sequence number receives every message
// once.
func TestNoEventIsLostOrTwice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := discordtest.New(t, nil)
		defer s.Close()
		guild := s.AddGuild("Waterdeep")
		channel, player := s.AddChannel(guild, "tavern"), s.AddMember(guild, "Alice")
		r := &reader{wire: dial(t, s, ""), rt: rt, seq: 1}
		var first ready
		if err := json.Unmarshal(r.identify().D, &first); err != nil {
			rt.Fatal(err)
		}
		r.session = first.Session
		talk := func() {
			text := fmt.Sprintf("line %d <@%s>", len(r.said), s.BotID())
			s.Say(channel, player, text, nil)
			r.said = append(r.said, text)
		}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			switch rapid.SampledFrom([]string{"talk", "read", "drop", "drop and talk"}).Draw(rt, "step") {
			case "talk":
				talk()
			case "read":
				if len(r.said) > len(r.heard) {
					r.until(r.said[len(r.heard)])
				}
			case "drop":
				r.reconnect(func() {})
			case "drop and talk":
				r.reconnect(talk)
			}
		}
		if len(r.heard) < len(r.said) {
			r.until(r.said[len(r.said)-1])
		}
		if !slices.Equal(r.heard, r.said) {
			rt.Errorf("heard %q, want %q", r.heard, r.said)
		}
		_ = r.ws.CloseNow()
	})
}

func TestMembersAndVoice(t *testing.T) {
	t.Parallel()
	var joined discordtest.VoiceJoin
	s := discordtest.New(t, &discordtest.Options{Voice: func(j discordtest.VoiceJoin) discordtest.VoiceServer {
		joined = j
		return discordtest.VoiceServer{Token: "vt", Endpoint: "127.0.0.1:1"}
	}})
	guild := s.AddGuild("Waterdeep")
	voice := s.AddVoiceChannel(guild, "table")
	alice := s.AddMember(guild, "Alice")
	w := dial(t, s, "")
	w.next(10)
	w.send(fmt.Sprintf(`{"op":2,"d":{"token":%q,"intents":131,"properties":{"os":"linux"}}}`, s.Token()))
	var r ready
	if err := json.Unmarshal(w.next(0).D, &r); err != nil {
		t.Fatal(err)
	}
	w.next(0)
	w.send(fmt.Sprintf(`{"op":8,"d":{"guild_id":%q,"query":"al","limit":10,"nonce":"n"}}`, guild))
	var chunk struct {
		Members []struct {
			User struct {
				ID string `json:"id"`
			} `json:"user"`
		} `json:"members"`
		Nonce string `json:"nonce"`
	}
	if f := w.next(0); f.T != "GUILD_MEMBERS_CHUNK" || json.Unmarshal(f.D, &chunk) != nil || len(chunk.Members) != 1 || chunk.Members[0].User.ID != alice || chunk.Nonce != "n" {
		t.Errorf("chunk = %s %s, want Alice alone", f.T, f.D)
	}
	w.send(fmt.Sprintf(`{"op":4,"d":{"guild_id":%q,"channel_id":%q,"self_mute":false,"self_deaf":false}}`, guild, voice))
	if f := w.next(0); f.T != "VOICE_STATE_UPDATE" {
		t.Errorf("got %s, want VOICE_STATE_UPDATE", f.T)
	}
	if f := w.next(0); f.T != "VOICE_SERVER_UPDATE" {
		t.Errorf("got %s, want VOICE_SERVER_UPDATE", f.T)
	}
	if want := (discordtest.VoiceJoin{GuildID: guild, ChannelID: voice, UserID: s.BotID(), SessionID: r.Session}); joined != want {
		t.Errorf("joined = %+v, want %+v", joined, want)
	}
	s.MoveVoice(guild, alice, voice)
	if f := w.next(0); f.T != "VOICE_STATE_UPDATE" {
		t.Errorf("got %s, want Alice's VOICE_STATE_UPDATE", f.T)
	}
}
