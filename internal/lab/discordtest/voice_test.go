package discordtest_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/coder/websocket"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
	"github.com/MrWong99/glyphoxa/internal/lab/voicetest"
)

// seated is a hand-written bot in a guild with a voice server.
type seated struct {
	*wire
	voice        *voicetest.Server
	guild, alice string
	session      string
}

func seat(t *testing.T) *seated {
	t.Helper()
	s := discordtest.New(t, nil)
	b := &seated{voice: s.StartVoice(t, nil), guild: s.AddGuild("Waterdeep")}
	b.alice = s.AddMember(b.guild, "Alice")
	b.wire = dial(t, s, "")
	b.next(10)
	b.send(fmt.Sprintf(`{"op":2,"d":{"token":%q,"intents":129,"properties":{"os":"linux"}}}`, s.Token()))
	var r ready
	if err := json.Unmarshal(b.next(0).D, &r); err != nil {
		t.Fatal(err)
	}
	b.session = r.Session
	b.next(0)
	return b
}

func (b *seated) join(channel string) {
	b.t.Helper()
	b.send(fmt.Sprintf(`{"op":4,"d":{"guild_id":%q,"channel_id":%q,"self_mute":false,"self_deaf":false}}`, b.guild, channel))
}

// told returns the next event of a kind.
func (b *seated) told(kind string) (e struct {
	Channel  *string `json:"channel_id"`
	User     string  `json:"user_id"`
	Session  string  `json:"session_id"`
	Suppress bool    `json:"suppress"`
	Mute     bool    `json:"mute"`
	Endpoint *string `json:"endpoint"`
	Token    string  `json:"token"`
}) {
	b.t.Helper()
	for {
		f := b.next(0)
		if f.T != kind && (f.T == "VOICE_STATE_UPDATE" || f.T == "VOICE_SERVER_UPDATE") {
			b.t.Fatalf("told of %s %s, want %s", f.T, f.D, kind)
		}
		if f.T == kind {
			if err := json.Unmarshal(f.D, &e); err != nil {
				b.t.Fatal(err)
			}
			return e
		}
	}
}

// toldToJoin checks the events, in order, for a bot that joins a channel.
func (b *seated) toldToJoin(channel string, kinds ...string) {
	b.t.Helper()
	for _, kind := range kinds {
		e := b.told(kind)
		if kind == "VOICE_SERVER_UPDATE" {
			if e.Endpoint == nil || *e.Endpoint != b.voice.Endpoint() || e.Token == "" {
				b.t.Errorf("the voice server is %v, want %s", e.Endpoint, b.voice.Endpoint())
			}
		} else if e.Channel == nil || *e.Channel != channel || e.User != b.s.BotID() || e.Session != b.session {
			b.t.Errorf("the voice state is %+v, want the bot's in %s", e, channel)
		}
	}
}

func TestBotJoinsVoice(t *testing.T) {
	t.Parallel()
	b := seat(t)
	first, second := b.s.AddVoiceChannel(b.guild, "table"), b.s.AddVoiceChannel(b.guild, "cellar")
	b.join(first)
	b.toldToJoin(first, "VOICE_STATE_UPDATE", "VOICE_SERVER_UPDATE")
	b.s.ServerFirst(true)
	b.join(second)
	b.toldToJoin(second, "VOICE_SERVER_UPDATE", "VOICE_STATE_UPDATE")
	b.send(fmt.Sprintf(`{"op":4,"d":{"guild_id":%q,"channel_id":%q,"self_mute":true,"self_deaf":false}}`, b.guild, second))
	b.toldToJoin(second, "VOICE_STATE_UPDATE") // the bot stays
	b.s.MuteVoice(b.guild, b.s.BotID(), true)
	if e := b.told("VOICE_STATE_UPDATE"); !e.Mute {
		t.Error("the bot is not told that it was muted")
	}
	b.s.MoveVoice(b.guild, b.s.BotID(), first) // by a moderator
	b.toldToJoin(first, "VOICE_SERVER_UPDATE", "VOICE_STATE_UPDATE")
	b.s.MoveVoice(b.guild, b.s.BotID(), "")
	if e := b.told("VOICE_STATE_UPDATE"); e.Channel != nil {
		t.Errorf("the bot is in %s after it was disconnected", *e.Channel)
	}
}

// TestBotLosesVoice reconnects a bot whose session cannot be resumed.
func TestBotLosesVoice(t *testing.T) {
	t.Parallel()
	b := seat(t)
	channel := b.s.AddVoiceChannel(b.guild, "table")
	b.join(channel)
	b.toldToJoin(channel, "VOICE_STATE_UPDATE", "VOICE_SERVER_UPDATE")
	if got := b.voices(b.s); len(got) != 1 {
		t.Errorf("%d voice states are in the guild of a bot that resumes, want its own", len(got))
	}
	_ = b.ws.Close(websocket.StatusNormalClosure, "") // this ends the session
	if err := b.s.AwaitConnections(t.Context(), func(all []discordtest.Connection) bool { return !all[0].Open }); err != nil {
		t.Fatal(err)
	}
	if got := b.voices(b.s); len(got) != 0 {
		t.Errorf("%d voice states are in the guild of a bot that came anew, want none", len(got))
	}
}

// voices identifies once more and returns the guild's voice states.
func (b *seated) voices(s *discordtest.Server) (states []any) {
	b.t.Helper()
	w := dial(b.t, s, "")
	w.next(10)
	w.send(fmt.Sprintf(`{"op":2,"d":{"token":%q,"intents":129,"properties":{"os":"linux"}}}`, s.Token()))
	w.next(0)
	var g struct {
		States []any `json:"voice_states"`
	}
	if err := json.Unmarshal(w.next(0).D, &g); err != nil {
		b.t.Fatal(err)
	}
	return g.States
}

// TestBotMayNotJoin checks that a refused join has no response before the next
// event.
func TestBotMayNotJoin(t *testing.T) {
	t.Parallel()
	b := seat(t)
	full, closed, open := b.s.AddVoiceChannel(b.guild, "full"), b.s.AddVoiceChannel(b.guild, "closed"), b.s.AddVoiceChannel(b.guild, "open")
	b.s.SetUserLimit(full, 1)
	b.s.MoveVoice(b.guild, b.alice, full)
	if e := b.told("VOICE_STATE_UPDATE"); e.User != b.alice {
		t.Fatalf("told of %+v, want Alice", e)
	}
	b.s.Deny(closed, discordtest.Connect)
	text := b.s.AddChannel(b.guild, "text")
	for _, channel := range []string{full, closed, text, "1", open} {
		b.join(channel)
	}
	b.toldToJoin(open, "VOICE_STATE_UPDATE", "VOICE_SERVER_UPDATE")
	b.s.SetBotPermissions(b.guild, discordtest.PermissionsOfBot|discordtest.MoveMembers)
	b.join(full)
	b.toldToJoin(full, "VOICE_STATE_UPDATE", "VOICE_SERVER_UPDATE")
}

func TestStage(t *testing.T) {
	t.Parallel()
	b := seat(t)
	stage := b.s.AddStage(b.guild, "stage")
	b.join(stage)
	if e := b.told("VOICE_STATE_UPDATE"); !e.Suppress {
		t.Error("the bot may speak on a stage where nobody invited it")
	}
	b.told("VOICE_SERVER_UPDATE")
	b.s.SetBotPermissions(b.guild, discordtest.PermissionsOfBot|discordtest.MuteMembers)
	b.join(stage)
	if e := b.told("VOICE_STATE_UPDATE"); e.Suppress {
		t.Error("a moderator of a stage may not speak there")
	}
}

// TestPeersMove lets two people talk, change channels, and be moved to another
// voice server.
func TestPeersMove(t *testing.T) {
	t.Parallel()
	b := seat(t)
	bob := b.s.AddMember(b.guild, "Bob")
	first, second := b.s.AddVoiceChannel(b.guild, "table"), b.s.AddVoiceChannel(b.guild, "cellar")
	ps := voicetest.NewPeers(t, b.voice)
	people := []*voicetest.Peer{b.s.VoicePeer(ps, b.guild, b.alice), b.s.VoicePeer(ps, b.guild, bob)}
	b.s.SetUserLimit(first, 2)
	for _, p := range people {
		if err := p.Join(t.Context(), first); err != nil {
			t.Fatal(err)
		}
	}
	b.join(first) // a full channel
	talk := func(server *voicetest.Server, channel string) {
		t.Helper()
		if _, err := server.AwaitGroup(t.Context(), b.guild, channel, func(g voicetest.Group) bool {
			return len(g.Members) == 2 && slices.Contains(g.Members, bob) && g.Waiting == 0
		}); err != nil {
			t.Fatal(err)
		}
		for i, mouth := range people {
			ear := people[1-i]
			for before := len(ear.Sound(mouth.User())); len(ear.Sound(mouth.User())) == before; {
				if err := mouth.Play(t.Context(), [][]byte{[]byte("hello"), []byte("there")}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	talk(b.voice, first)
	for _, p := range people {
		b.s.MoveVoice(b.guild, p.User(), second)
	}
	talk(b.voice, second)
	other := voicetest.New(t, nil)
	b.s.MoveRegion(b.guild, other)
	talk(other, second)
	if err := people[1].Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.join(first)
	for {
		e := b.told("VOICE_STATE_UPDATE")
		if e.User == b.s.BotID() {
			break
		}
	}
	if e := b.told("VOICE_SERVER_UPDATE"); e.Endpoint == nil || *e.Endpoint != other.Endpoint() {
		t.Errorf("the bot is sent to %v, want the guild's new voice server", e.Endpoint)
	}
}
