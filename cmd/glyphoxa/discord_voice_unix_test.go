//go:build unix

package main_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
	"github.com/MrWong99/glyphoxa/internal/lab/fakestt"
	"github.com/MrWong99/glyphoxa/internal/lab/voicetest"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

// voiceHouse is a Discord with voice, whose users speak through third-party
// clients.
type voiceHouse struct {
	d     *discordtest.Server
	v     *voicetest.Server
	peers *voicetest.Peers
}

func newVoiceHouse(t *testing.T) *voiceHouse {
	t.Helper()
	needEspeak(t)
	h := &voiceHouse{v: voicetest.New(t, nil)}
	h.d = discordtest.New(t, &discordtest.Options{Voice: func(j discordtest.VoiceJoin) discordtest.VoiceServer {
		at := h.v.Admit(voicetest.Join{Guild: j.GuildID, Channel: j.ChannelID, User: j.UserID, Session: j.SessionID})
		return discordtest.VoiceServer{Token: at.Token, Endpoint: at.Endpoint}
	}})
	h.peers = voicetest.NewPeers(t, h.v)
	return h
}

// speaker is a user who speaks.
func (h *voiceHouse) speaker(guild, user string) *voicetest.Peer {
	return h.peers.Add(guild, user, &voicetest.PeerOptions{Gateway: func(user, channel string) (string, voicetest.Address, bool) {
		h.d.MoveVoice(guild, user, channel)
		if channel == "" {
			h.v.Expel(guild, user)
			return "", voicetest.Address{}, false
		}
		session := "session-of-" + user
		return session, h.v.Admit(voicetest.Join{Guild: guild, Channel: channel, User: user, Session: session}), true
	}})
}

// talkingTavern is a tavern with voiced NPCs, whose players' speech service
// recognises.
func (h *voiceHouse) talkingTavern(t *testing.T, p *program, service *fakestt.Server) string {
	t.Helper()
	p.secrets = append(p.secrets, secretKey)
	c := strings.Replace(tavern, "tts: silent, stt: none", fmt.Sprintf("tts: espeak, stt: {name: deepgram, api_key: %s, base_url: '%s'}", secretKey, service.URL()), 1)
	return strings.Replace(c, "  dm_roles:", "  voice_ca: "+h.v.CAFile(t)+"\n  dm_roles:", 1)
}

// spokenFrames returns a text as a client sends it: Opus frames of 20 ms.
func (p *program) spokenFrames(text string) [][]byte {
	p.t.Helper()
	f, err := os.Open(p.path(p.says("spoken.wav", text)))
	if err != nil {
		p.t.Fatal(err)
	}
	defer f.Close()
	wav, err := audio.ReadWAV(f)
	if err != nil {
		p.t.Fatal(err)
	}
	r, err := audio.NewResampler(wav.Rate, audio.SampleRate)
	if err != nil {
		p.t.Fatal(err)
	}
	sound := r.Flush(r.Process(nil, wav.Mono()))
	lib, err := opus.Load()
	if err != nil {
		p.t.Fatal(err)
	}
	enc, err := opus.NewEncoder(lib, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	var out [][]byte
	for len(sound) > 0 {
		var frame audio.Frame
		sound = sound[copy(frame[:], sound):]
		payload, err := enc.Encode(nil, &frame)
		if err != nil {
			p.t.Fatal(err)
		}
		out = append(out, payload)
	}
	return out
}

// TestDiscordVoice plays a session in a voice channel: a player speaks, the
// addressed NPC answers aloud and in the chat, and the bot leaves at the end.
func TestDiscordVoice(t *testing.T) {
	t.Parallel()
	house := newVoiceHouse(t)
	g := newGuild(t, house.d, "home")
	channel := house.d.AddVoiceChannel(g.id, "Tavern")
	g.channel = channel
	p := newProgram(t)
	service := fakestt.Start(t, fakestt.Script{Lines: []string{"Bartok, what is on tap?"}, Delay: 20 * time.Millisecond, GoesOn: 600 * time.Millisecond})
	s := p.bot(house.d, house.talkingTavern(t, p, service))
	ana := house.speaker(g.id, g.ana)
	if err := ana.Join(t.Context(), channel); err != nil {
		t.Fatal(err)
	}
	answers(t, g.gives(t, g.dm, "session start"), false, "The Flagon", "speak and hear in <#"+channel+">")
	if err := ana.Play(t.Context(), p.spokenFrames("Bartok, what is on tap?")); err != nil {
		t.Fatal(err)
	}
	caption := g.hears(t, channel, "Bartok", "")
	if err := ana.AwaitSound(t.Context(), house.d.BotID(), 20); err != nil {
		t.Errorf("%v; the peer says %v", err, ana.Events())
	}
	answers(t, g.gives(t, g.dm, "session status"), true, "end-to-end encrypted", "Ana: ")
	g.awaitQuiet(ana)
	house.d.React(channel, g.ana, caption.ID, "❌") // she was answered aloud
	g.awaitDeleted(t, caption)
	if recap := g.gives(t, g.ana, "session recap").Content; strings.Contains(recap, caption.Content) || !strings.Contains(recap, "what is on tap?") {
		t.Errorf("the recap is %q, want what Ana asked, and not %q, which was taken back", recap, caption.Content)
	}
	before := len(ana.Sound(house.d.BotID()))
	answers(t, g.gives(t, g.dm, "voice", opt("npc", "Bartok"), opt("voice", "en-us+f2")), true, "Bartok is trying the voice")
	if err := ana.AwaitSound(t.Context(), house.d.BotID(), before+20); err != nil {
		t.Errorf("a voice that is tried is not heard: %v", err)
	}
	code, err := ana.PrivacyCode(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	shown := slices.Collect(slices.Chunk([]byte(code), 5))
	answers(t, g.gives(t, g.dm, "privacy code"), true, string(bytes.Join(shown, []byte(" "))))
	answers(t, g.gives(t, g.dm, "session stop"), false, "has ended")
	if r := s.stop(); r.code != 0 {
		t.Errorf("exit code %d, stderr %s", r.code, r.stderr)
	}
}

// TestDiscordVoiceDeclines lets a player who has declined speak, and checks
// that the player gets no seat.
func TestDiscordVoiceDeclines(t *testing.T) {
	t.Parallel()
	house := newVoiceHouse(t)
	g := newGuild(t, house.d, "home")
	g.channel = house.d.AddVoiceChannel(g.id, "Tavern")
	p := newProgram(t)
	service := fakestt.Start(t, fakestt.Script{Lines: []string{"Bartok, what is on tap?"}, Delay: 20 * time.Millisecond, GoesOn: 600 * time.Millisecond})
	s := p.bot(house.d, house.talkingTavern(t, p, service))
	ana := house.speaker(g.id, g.ana)
	if err := ana.Join(t.Context(), g.channel); err != nil {
		t.Fatal(err)
	}
	g.gives(t, g.ana, "privacy consent", opt("heard", "no"))
	g.gives(t, g.dm, "session start")
	said := p.spokenFrames("Bartok, what is on tap?")
	if err := ana.Play(t.Context(), said); err != nil {
		t.Fatal(err)
	}
	answers(t, g.gives(t, g.dm, "session status"), true, "Ana: does not want to be heard")
	if n := service.Samples(); n != 0 {
		t.Errorf("the recogniser was sent %d samples of somebody who declined", n)
	}
	g.gives(t, g.ana, "privacy consent", opt("heard", "yes"))
	deadline := time.Now().Add(time.Minute)
	for !strings.Contains(g.gives(t, g.dm, "session status").Content, "Ana: heard") && time.Now().Before(deadline) {
		time.Sleep(50 * time.Millisecond)
	}
	if err := ana.Play(t.Context(), said); err != nil {
		t.Fatal(err)
	}
	g.hears(t, g.channel, "Bartok", "")
	if r := s.stop(); r.code != 0 {
		t.Errorf("exit code %d, stderr %s", r.code, r.stderr)
	}
}
