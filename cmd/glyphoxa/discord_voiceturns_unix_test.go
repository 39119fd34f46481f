//go:build unix

package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
	"github.com/MrWong99/glyphoxa/internal/lab/fakerealtime"
	"github.com/MrWong99/glyphoxa/internal/lab/fakestt"
	"github.com/MrWong99/glyphoxa/internal/lab/voicetest"
)

// The lines of TestDiscordVoiceTurns.
const (
	rollForMe  = "Bartok, roll the dice for me."
	askAnnals  = "Bartok, what do the annals say?"
	raiseAloud = "Raise Bartok to deep."
	tableTalk  = "Who wants pizza?"
	endAloud   = "End the session, please."
	askMira    = "Mira, how is the river?"
	askSage    = "Sage, what makes the fog?"
	askStory   = "Bartok, tell me a story."
	holdOn     = "Hold on, Bartok!"
)

// The voices of its NPCs, as indices of voicePitches.
const (
	miraVoice = iota // the voice of fakerealtime
	bartokVoice
	sageVoice
	storyVoice // Bartok's, for the story
)

var voicePitches = []float64{440, 640, 840, 1040}

// inn is a table with an NPC for each engine. The tiers of its tools are
// measured.
const inn = `
languages: [en]
campaign: {name: The Flagon}
providers:
  llm: {name: openai, api_key: %[2]s, base_url: '%[3]s', model: strong}
  tts: {name: openai, api_key: %[2]s, base_url: '%[3]s', options: {voice: nova}}
  stt: {name: deepgram, api_key: %[2]s, base_url: '%[4]s'}
  s2s: {name: openai, api_key: %[5]s, base_url: '%[6]s'}
  embeddings: none
cascade:
  opener: {name: openai, api_key: %[2]s, base_url: '%[3]s', model: quick}
  continuation: {name: openai, api_key: %[2]s, base_url: '%[3]s', model: strong}
latency:
  ceilings: {fast: 60ms, standard: 120ms, deep: 20s}
  targets: {fast: 20s, standard: 25s, deep: 30s}
  s2s_silence: 20s
server: {listen: "127.0.0.1:0"}
mcp:
  servers:
    - {name: annals, transport: streamable-http, url: '%[7]s', allow_private: true}
npcs:
  - {name: Bartok, budget_tier: fast, tools: [roll, consult_annals], voice: {id: nova}}
  - {name: Mira, engine: s2s}
  - {name: Sage, engine: sentence_cascade, voice: {id: onyx}}
discord:
  token: ${DISCORD_TOKEN:-}
  api_url: %[1]s
  voice_ca: %[8]s
  dm_roles: [Dungeon Master]
`

// annals are the results of the inn's tool, in turn, so that no two answers of
// an NPC are alike.
var annals = []string{
	"the bridge fell in the year of the flood", "a comet stood over the mill for nine nights", "wolves came down from the northern hills",
	"the baron sold his last orchard to the monks", "nobody paid any taxes at all", "three ferries sank on one day in March", "the old king lost his crown at cards",
}

// serveAnnals runs a server with one slow tool.
func serveAnnals(t testing.TB) string {
	t.Helper()
	var asked atomic.Int64
	s := sdk.NewServer(&sdk.Implementation{Name: "annals", Version: "1"}, nil)
	s.AddTool(&sdk.Tool{
		Name: "consult_annals", Description: "Looks up what happened in a year.",
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true},
		InputSchema: json.RawMessage(`{"type":"object","properties":{}}`),
	}, func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		text := annals[asked.Add(1)%int64(len(annals))]
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
	})
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
	t.Cleanup(web.Close)
	return web.URL
}

// innModel answers as the models of the inn. No two answers are alike, because
// the program withholds repeats.
func innModel() fakeopenai.Script {
	var said atomic.Int64
	ignorance := []string{"Of that I know nothing friend", "No word of it has reached me", "Ask somebody older than I am", "My grandmother might have known that"}
	return func(r fakeopenai.Request) fakeopenai.Response {
		last, tools := r.Chat.Messages[len(r.Chat.Messages)-1], offered(r)
		asks := func(phrase string) bool { return strings.Contains(r.Chat.LastUser(), gist(phrase)) }
		switch {
		case last.Role == "tool" && slices.Contains(annals, last.Text()):
			return fakeopenai.Say("They tell that " + last.Text() + ".")
		case last.Role == "tool":
			return fakeopenai.Say("There they lie friend.")
		case asks(rollForMe) && slices.Contains(tools, "roll"):
			return fakeopenai.CallTools(fakeopenai.Call{Name: "roll", Arguments: `{"expression":"2d6"}`})
		case asks(askAnnals) && slices.Contains(tools, "consult_annals"):
			return fakeopenai.CallTools(fakeopenai.Call{Name: "consult_annals", Arguments: `{}`})
		case asks(askStory):
			return fakeopenai.Say(strings.SplitAfter(story, " ")...)
		case asks(tableTalk):
			return fakeopenai.Say("[silent]") // the prompt tells a model to say this to lines for other people
		case asks(holdOn):
			return fakeopenai.Say("Certainly.")
		case asks(askSage) && r.Chat.Model == "quick":
			return fakeopenai.Say("[MORE] The fog is an ", "old friend of mine.")
		case asks(askSage):
			return fakeopenai.Say("It rises where ", "warm water meets the night.")
		}
		return fakeopenai.Say(ignorance[said.Add(1)%int64(len(ignorance))] + ".")
	}
}

// story takes eight seconds to tell.
const story = "There once was a miller who heard the river speak and followed it down through the valley past every village and every bridge until he came to the grey sea where nobody has ever seen him again since that day."

// innVoice synthesises the voices of the inn.
func innVoice(text, voice string) []int16 {
	switch {
	case voice == "onyx":
		return purity(voicePitches[sageVoice], text)
	case strings.Contains(story, strings.TrimRight(text, ".")):
		return purity(voicePitches[storyVoice], text+text)
	}
	return purity(voicePitches[bartokVoice], text)
}

// seating is a guild with its players and the bot in a voice channel.
type seating struct {
	*guild
	house     *voiceHouse
	events    *botEvents
	sayings   map[string][][]byte
	ana, lead *voicetest.Peer
	heard     *hearing // by Ana
}

// seat opens a session in a guild's voice channel, with its player and, if asked, its
// dungeon master.
func (h *voiceHouse) seat(t *testing.T, g *guild, events *botEvents, sayings map[string][][]byte, leads bool, pitches ...float64) *seating {
	t.Helper()
	g.channel = h.d.AddVoiceChannel(g.id, "Tavern")
	s := &seating{guild: g, house: h, events: events, sayings: sayings, ana: h.speaker(g.id, g.ana)}
	s.heard = newHearing(t, s.ana, h.d.BotID(), pitches...)
	if err := s.ana.Join(t.Context(), g.channel); err != nil {
		t.Fatal(err)
	}
	names := []string{"Ana"}
	if leads {
		names = append(names, g.name+"-dm")
		s.lead = h.speaker(g.id, g.dm)
		if err := s.lead.Join(t.Context(), g.channel); err != nil {
			t.Fatal(err)
		}
	}
	answers(t, g.gives(t, g.dm, "session start"), false, "speak and hear in <#"+g.channel+">")
	for _, name := range names {
		g.awaitHeard(t, name)
	}
	t.Cleanup(func() {
		if t.Failed() {
			for _, e := range events.of(g.id) {
				t.Logf("%s %v", e.Time.Format("05.000"), e)
			}
		}
	})
	return s
}

// awaitHeard waits until the bot has given a speaker a seat.
func (g *guild) awaitHeard(t *testing.T, name string) {
	t.Helper()
	for end := time.Now().Add(patience); !strings.Contains(g.gives(t, g.dm, "session status").Content, name+": heard"); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s is not heard", name)
		}
	}
}

// asks lets the player say a phrase, and returns its turn and the sound of its
// answer; silent means no answer.
func (s *seating) asks(t *testing.T, phrase string, voice int) (voiceTurn, []heardFrame) {
	t.Helper()
	from, heard := len(s.events.of(s.id)), len(s.heard.catchUp())
	if err := s.ana.Play(t.Context(), s.sayings[phrase]); err != nil {
		t.Fatal(err)
	}
	turn := s.events.turnOf(t, s.id, from, "Ana", phrase)
	if voice < 0 {
		return turn, s.heard.catchUp()[heard:]
	}
	all := s.heard.awaitEnd(heard, voice)
	s.heard.onlyVoice(all, voice, phrase)
	return turn, all
}

// innBot starts a bot with an inn table in each of several guilds.
func (h *voiceHouse) innBot(t *testing.T, book phrasebook) (*session, *botEvents, *fakeopenai.Server) {
	t.Helper()
	p := newProgram(t)
	p.limit = 9 * time.Minute
	p.secrets = append(p.secrets, secretKey, fakerealtime.Key)
	hears := fakestt.Start(t, fakestt.Script{Understand: book.understand, Interim: 20 * time.Millisecond, Delay: 20 * time.Millisecond})
	model := fakeopenai.Start(t, innModel(), &fakeopenai.Options{Voice: innVoice})
	speech := fakerealtime.Start(t, fakerealtime.Script{Answer: func(fakerealtime.Request) fakerealtime.Answer {
		return fakerealtime.Answer{Parts: []fakerealtime.Part{{Text: "The river is high today.", Sound: time.Second}}}
	}})
	config := fmt.Sprintf(inn, "%s", secretKey, model.URL(), hears.URL(), fakerealtime.Key, speech.URL(), serveAnnals(t), h.v.CAFile(t))
	s := p.bot(h.d, config, "--json")
	return s, watchEvents(t, s), model
}

// TestDiscordVoiceTurns plays turns in the voice channels of three guilds of
// one bot, with players who use a third-party client. It reads the bot's events
// and the audio that the players' clients decrypt.
func TestDiscordVoiceTurns(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	t.Parallel()
	house := newVoiceHouse(t)
	tiers, engines, cut := newGuild(t, house.d, "tiers"), newGuild(t, house.d, "engines"), newGuild(t, house.d, "cut")
	book := phrasebook{rollForMe, askAnnals, raiseAloud, tableTalk, endAloud, askMira, askSage, askStory, holdOn}
	s, events, model := house.innBot(t, book)
	sayings := book.sayings(t)
	var plays sync.WaitGroup // in parallel, because they mostly wait
	plays.Go(func() {
		t.Run("tiers", func(t *testing.T) { playTiers(t, house.seat(t, tiers, events, sayings, true, voicePitches...), model) })
	})
	plays.Go(func() {
		t.Run("engines", func(t *testing.T) { playEngines(t, house.seat(t, engines, events, sayings, false, voicePitches...)) })
	})
	plays.Go(func() {
		t.Run("cut", func(t *testing.T) { playInterruptions(t, house.seat(t, cut, events, sayings, false, voicePitches...)) })
	})
	plays.Wait()
	if r := s.stop(); r.code != 0 {
		t.Errorf("exit code %d, stderr %s", r.code, r.stderr)
	}
}

// playTiers lets an NPC use tools: in each turn those of its tier, as measured,
// which the dungeon master raises by voice and by a command.
func playTiers(t *testing.T, s *seating, model *fakeopenai.Server) {
	answers(t, s.gives(t, s.dm, "tools calibrate"), true, "consult\\_annals")
	turn, _ := s.asks(t, rollForMe, bartokVoice)
	if turn.started.NPC != "Bartok" || turn.started.Tier != "fast" || !slices.Equal(turn.started.Tools, []string{"roll"}) {
		t.Errorf("the turn is %v with %q, want Bartok in a fast one with roll", turn.started, turn.started.Tools)
	}
	turn.used(t, "roll")
	if turn.ended.Outcome != "delivered" || turn.ended.Text != "There they lie friend." {
		t.Errorf("the turn ended %v", turn.ended)
	}
	s.hears(t, s.channel, "Bartok", "There they lie friend.")

	ignorant := func(when string) {
		t.Helper()
		turn, _ := s.asks(t, askAnnals, bartokVoice)
		if turn.started.Tier != "fast" || slices.Contains(turn.started.Tools, "consult_annals") || len(turn.called) > 0 || turn.ended.Outcome != "delivered" {
			t.Errorf("%s: %v with %q, %v, %v", when, turn.started, turn.started.Tools, turn.called, turn.ended)
		}
	}
	learned := func(when string) {
		t.Helper()
		turn, _ := s.asks(t, askAnnals, bartokVoice)
		if turn.started.Tier != "deep" || !slices.Contains(turn.started.Tools, "consult_annals") || !strings.HasPrefix(turn.ended.Text, "They tell that ") {
			t.Errorf("%s: %v with %q, %v", when, turn.started, turn.started.Tools, turn.ended)
		}
		turn.used(t, "consult_annals")
	}
	ignorant("before any raise")
	from := len(s.events.of(s.id))
	if err := s.lead.Play(t.Context(), s.sayings[raiseAloud]); err != nil {
		t.Fatal(err)
	}
	e := s.events.await(t, s.id, from, "the order", func(e botEvent) bool { return e.Kind == "spoken.order" })
	if e.Order != "raise" || e.NPC != "Bartok" || e.Speaker != "tiers-dm" || e.Error != "" {
		t.Errorf("the order is %+v", e)
	}
	if _, err := s.d.AwaitMessage(t.Context(), s.channel, func(m discordtest.Message) bool {
		return strings.Contains(m.Content, "Bartok may be thoughtful (deep)")
	}); err != nil {
		t.Error(err)
	}
	learned("raised aloud")
	answers(t, s.gives(t, s.dm, "tier lower", opt("npc", "Bartok")), true)
	ignorant("lowered again")
	answers(t, s.gives(t, s.dm, "tier raise", opt("npc", "Bartok"), opt("tier", "deep")), true)
	learned("raised by a command")

	turn, heard := s.asks(t, tableTalk, -1)
	if turn.ended.Outcome != "no_target" && turn.ended.Outcome != "passed" || countVoice(heard, bartokVoice) > 0 {
		t.Errorf("talk at the table is answered: %v, %v", turn.started, turn.ended)
	}
	from = len(s.events.of(s.id))
	if err := s.lead.Play(t.Context(), s.sayings[tableTalk]); err != nil {
		t.Fatal(err)
	}
	if turn := s.events.turnOf(t, s.id, from, "tiers-dm", tableTalk); turn.ended.Outcome != "no_target" {
		t.Errorf("talk of who leads is answered: %v, %v", turn.started, turn.ended)
	}
	for _, r := range model.ChatRequests() {
		if strings.Contains(r.Chat.LastUser(), gist(raiseAloud)) {
			t.Errorf("an NPC is given an order: %q", r.Chat.LastUser())
		}
	}
	if err := s.lead.Play(t.Context(), s.sayings[endAloud]); err != nil {
		t.Fatal(err)
	}
	m, err := s.d.AwaitMessage(t.Context(), s.channel, func(m discordtest.Message) bool { return strings.Contains(m.Content, "wants to end the session") })
	if err != nil {
		t.Fatal(err)
	}
	answers(t, s.presses(t, s.dm, s.channel, m, "End the session"), false, "has ended")
}

// used requires that a turn called one tool, within its tier's limits.
func (v voiceTurn) used(t *testing.T, tool string) {
	t.Helper()
	if len(v.called) != 1 || v.called[0].Tool != tool || !v.called[0].OK || !slices.Contains(v.started.Tools, tool) {
		t.Errorf("the tools that ran are %v of %q, want %s", v.called, v.started.Tools, tool)
		return
	}
	if l := v.ledger; l.ToolRounds != 1 || l.ToolMS < v.called[0].MS || l.FirstSubstanceMS < l.EndpointMS+l.ToolMS {
		t.Errorf("the ledger has %d rounds of %.0f ms of a tool that took %.0f, and the answer after %.0f", l.ToolRounds, l.ToolMS, v.called[0].MS, l.FirstSubstanceMS)
	}
}

// playEngines lets an NPC answer with each engine, each in its own voice.
func playEngines(t *testing.T, s *seating) {
	for _, row := range []struct {
		phrase, npc, said string
		voice             int
	}{
		{askMira, "Mira", "The river is high today.", miraVoice},
		{askSage, "Sage", "The fog is an old friend of mine. It rises where warm water meets the night.", sageVoice},
	} {
		turn, _ := s.asks(t, row.phrase, row.voice)
		if turn.started.NPC != row.npc || turn.ended.Outcome != "delivered" || turn.ended.Text != row.said {
			t.Errorf("%q: %v, %v", row.phrase, turn.started, turn.ended)
		}
		s.hears(t, s.channel, row.npc, "")
	}
}

// mostAfterStop bounds the frames heard after an answer of some 400 was
// stopped: frames in flight, and frames that a busy machine delivers late.
const mostAfterStop = 50

// playInterruptions interrupts an answer and checks that the rest of it is
// never heard.
func playInterruptions(t *testing.T, s *seating) {
	from, begin := len(s.events.of(s.id)), len(s.heard.catchUp())
	if err := s.ana.Play(t.Context(), s.sayings[askStory]); err != nil {
		t.Fatal(err)
	}
	s.heard.awaitVoice(begin, storyVoice, 25)
	if err := s.ana.Play(t.Context(), s.sayings[holdOn]); err != nil {
		t.Fatal(err)
	}
	told := s.events.turnOf(t, s.id, from, "Ana", askStory)
	barge := s.events.await(t, s.id, from, "an interruption", func(e botEvent) bool { return e.Kind == "barge" })
	if barge.NPC != "Bartok" || barge.Speaker != "Ana" || barge.Turn != told.ended.Turn || told.ended.Outcome != "barged" {
		t.Errorf("interrupted: %v, %v", barge, told.ended)
	}
	shown := s.hears(t, s.channel, "Bartok", "—").Content
	if words := strings.TrimSuffix(shown, "—"); !strings.HasPrefix(story, words+" ") || told.ended.Text != "" {
		t.Errorf("of the story that was interrupted the chat shows %q, and %q was delivered; want its first words, and no whole sentence", shown, told.ended.Text)
	}
	if turn := s.events.turnOf(t, s.id, from, "Ana", holdOn); turn.ended.Outcome != "delivered" || turn.ended.Text != "Certainly." {
		t.Errorf("what interrupted is answered %v", turn.ended)
	}
	all := s.heard.awaitEnd(begin, bartokVoice)
	after, total := 0, countVoice(all, storyVoice)
	for _, f := range all {
		if f.voice == storyVoice && f.at.After(barge.Time) {
			after++
		}
	}
	if last := slices.IndexFunc(all, func(f heardFrame) bool { return f.voice == bartokVoice }); countVoice(all[last:], storyVoice) > 0 {
		t.Error("the story goes on after what interrupted it was answered")
	}
	if after > mostAfterStop || total > len(story)*2-mostAfterStop {
		t.Errorf("%d frames of the story are heard, %d of them after it was stopped", total, after)
	}
	t.Logf("%d frames of the story are heard, %d of them after it was stopped", total, after)
}
