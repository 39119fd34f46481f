package scenario_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lab/scenario"
)

// TestRandomStoriesKeepTheRules plays random stories with randomly failing
// providers, and checks the rules that hold in every scene.
func TestRandomStoriesKeepTheRules(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(r *rapid.T) {
		s := randomScene(r)
		got, err := scenario.Play(t.Context(), s, nil)
		if err != nil {
			r.Fatal(err)
		}
		for _, v := range got.Verdicts {
			// A random story may wait for an event that its table never causes.
			if !v.OK && !v.Skipped && v.Expect != "always: the story happens" {
				r.Errorf("%s: %s", v.Expect, v.Message)
			}
		}
		if why := neverYields(s, got.Entries); why != "" {
			r.Error(why)
		}
		for _, e := range got.Entries {
			seen[e.Kind]++
			seen[e.Fields["outcome"]]++
		}
		if r.Failed() {
			for _, step := range s.Story {
				r.Logf("%+v", step)
			}
			r.Logf("model %+v\nstt %+v\nvoice %+v\ns2s %+v\nnpcs %+v", s.Model, s.STT, s.Voice, s.S2S, s.NPCs)
			for _, e := range got.Entries {
				line, err := e.MarshalJSON()
				if err != nil {
					r.Fatal(err)
				}
				r.Logf("%8.1f  %s", float64(e.At)/float64(time.Millisecond), line)
			}
		}
	})
	t.Logf("%v", seen)
	if testing.Short() {
		return // a fifth of the stories may lack rare events
	}
	for _, kind := range []string{"delivered", "barged", "failed", "muted", "no_target", "filler", "tool.ran", "player.speaks", "s2s.committed", "s2s.cleared", "s2s.interrupted"} {
		if seen[kind] == 0 {
			t.Errorf("no story has %s: they are too tame", kind)
		}
	}
}

// span is a stretch of one voice.
type span struct {
	who      string
	from, to time.Duration
}

// spans pairs the entries that begin and end a voice.
func spans(entries []scenario.Entry, on, off, field string) []span {
	var out []span
	open := map[string]time.Duration{}
	for _, e := range entries {
		who := e.Fields[field]
		switch e.Kind {
		case on:
			open[who] = e.At
		case off:
			if from, ok := open[who]; ok {
				out = append(out, span{who, from, e.At})
			}
			delete(open, who)
		}
	}
	return out
}

// neverYields reports an NPC that continues although a player speaks over it,
// without a pause and for longer than the confirm window.
func neverYields(s *scenario.Scene, entries []scenario.Entry) string {
	const allowed = 750 * time.Millisecond // the onset, the confirm window, a frame
	var voices, players []span
	for _, v := range spans(entries, "voice.on", "voice.off", "npc") {
		for _, n := range s.NPCs {
			if n.Name == v.who && n.Interruptibility.Style == config.StyleYields {
				voices = append(voices, v)
			}
		}
	}
	if slices.ContainsFunc(entries, func(e scenario.Entry) bool { return e.Fields["route"] == "puppet" }) {
		return ""
	}
	unbroken := slices.DeleteFunc(slices.Clone(entries), func(e scenario.Entry) bool { // neither noise nor a line with a pause
		return e.Fields["speaker"] != "" && (e.Fields["text"] == "" || strings.Contains(e.Fields["text"], "inn"))
	})
	all := spans(entries, "player.speaks", "player.stops", "speaker")
	players = spans(unbroken, "player.speaks", "player.stops", "speaker")
	for _, v := range voices {
		for _, p := range players {
			// A player who spoke before the NPC's turn does not interrupt it.
			goesOn := slices.ContainsFunc(all, func(o span) bool { return o.who == p.who && o.from < p.from && o.to > p.from-time.Second })
			if p.from > v.from && !goesOn && min(v.to, p.to) > p.from+allowed {
				return fmt.Sprintf("%s speaks until %v although %s talks from %v on", v.who, v.to, p.who, p.from)
			}
		}
	}
	return ""
}

// ms draws a time up to most milliseconds.
func ms(r *rapid.T, name string, most int) config.Duration {
	return config.Duration(time.Duration(rapid.IntRange(1, most).Draw(r, name)) * time.Millisecond)
}

func randomScene(r *rapid.T) *scenario.Scene {
	s, problems := scenario.Parse("random.yaml", []byte(small), nothing)
	if err := problems.Err(); err != nil {
		r.Fatal(err)
	}
	s.Expect, s.ExpectLines, s.Lasts = nil, nil, config.Duration(20*time.Second)
	s.NPCs = nil
	for i, name := range []string{"Mira", "Bartok", "Greta"}[:rapid.IntRange(1, 3).Draw(r, "npcs")] {
		n := config.DefaultNPC()
		n.Name, n.ID = name, fmt.Sprint("npc-", i)
		n.Tools = []string{"look", "write"}
		n.Engine = rapid.SampledFrom([]string{config.EngineCascaded, config.EngineSentenceCascade, config.EngineS2S, config.EngineS2S}).Draw(r, "engine")
		n.Interruptibility.Style = rapid.SampledFrom([]string{config.StyleYields, config.StyleYields, config.StyleFinishesSentence, config.StyleInsists}).Draw(r, "style")
		n.Interruptibility.Resumes = rapid.Bool().Draw(r, "resumes")
		n.Lines = map[string][]string{"unknown": {"I cannot say."}}
		if rapid.Bool().Draw(r, "fills") {
			n.Lines["filler"] = []string{"Well now.", "Let me see."}
		}
		s.NPCs = append(s.NPCs, n)
	}
	s.Latency.Preemptive = rapid.SampledFrom([]config.Preemption{config.PreemptOff, config.PreemptModel, config.PreemptVoice, config.PreemptVoice}).Draw(r, "preemptive")
	s.Latency.ModelTimeout = config.Duration(4 * time.Second)
	s.Tools = []scenario.Tool{
		{Name: "look", P50: ms(r, "p50", 700), Takes: ms(r, "takes", 3000), Hangs: rapid.IntRange(0, 9).Draw(r, "hangs") == 0},
		{Name: "write", Writes: true},
	}
	randomProviders(r, s)
	randomSpeech(r, s)
	s.Story = nil
	for range rapid.IntRange(5, 16).Draw(r, "steps") {
		s.Story = append(s.Story, randomStep(r, s))
	}
	return s
}

func randomProviders(r *rapid.T, s *scenario.Scene) {
	s.Model.FirstToken, s.Model.Between = ms(r, "first_token", 2500), ms(r, "between", 800)
	if rapid.Bool().Draw(r, "slow") {
		s.Model.Word, s.Voice.Clauses = ms(r, "word", 300), true
	}
	one := scenario.Reply{Round: scenario.Round{Says: "I think that it is so, but there is more. There is more to it, though, than I can tell you now. Ask again."}}
	s.Model.Replies = nil
	for _, on := range []string{"story", "name", "inn", "and"} {
		reply := one
		reply.On = on
		switch rapid.IntRange(0, 5).Draw(r, "reply") {
		case 0:
			reply.Fault = rapid.SampledFrom([]string{"error", "hang", "rate_limited"}).Draw(r, "fault")
		case 1:
			reply.Says, reply.Fault = "", "error"
		case 2:
			reply.Round = scenario.Round{}
			reply.Rounds = []scenario.Round{
				{Says: "Let me look.", Calls: []scenario.Call{{Tool: "look"}, {Tool: "write"}}}, {Says: "So it is. I have seen it."},
			}
		}
		s.Model.Replies = append(s.Model.Replies, reply)
	}
	s.STT.Delay, s.STT.Interims = ms(r, "stt_delay", 1500), rapid.Bool().Draw(r, "interims")
	if rapid.IntRange(0, 3).Draw(r, "stt_faulty") == 0 {
		s.STT.Faults = []scenario.STTFault{{On: "inn", Fault: rapid.SampledFrom([]string{"never", "empty", "duplicate", "error", "broken"}).Draw(r, "stt_fault")}}
	}
	s.Voice.FirstSound, s.Voice.Speed = ms(r, "first_sound", 900), rapid.SampledFrom([]float64{0.6, 1.2, 5, 50}).Draw(r, "speed")
	if rapid.IntRange(0, 4).Draw(r, "voice_faulty") == 0 {
		s.Voice.Faults = []scenario.VoiceFault{{
			On: "more", Fault: rapid.SampledFrom([]string{"error", "hang", "silent"}).Draw(r, "voice_fault"), After: ms(r, "voice_after", 1500),
		}}
	}
}

// randomSpeech draws a speech-to-speech model.
func randomSpeech(r *rapid.T, s *scenario.Scene) {
	s.S2S.Opens, s.S2S.Speed = ms(r, "s2s_opens", 600), rapid.SampledFrom([]float64{0.8, 5, 50}).Draw(r, "s2s_speed")
	c := &s.S2S.Capabilities
	c.OutputRate = rapid.SampledFrom([]int{24_000, 48_000}).Draw(r, "s2s_rate")
	c.Tools = rapid.SampledFrom([]string{"update", "context", "new_session"}).Draw(r, "s2s_tools")
	c.Typed, c.Truncates, c.Resumes = rapid.Bool().Draw(r, "s2s_typed"), rapid.Bool().Draw(r, "s2s_truncates"), rapid.Bool().Draw(r, "s2s_resumes")
	switch rapid.IntRange(0, 4).Draw(r, "s2s_kind") {
	case 0: // it detects turns itself
		c.ManualTurns, c.Clears = false, false
	case 1: // it delegates
		*c = scenario.S2SCapabilities{InputRate: c.InputRate, OutputRate: c.OutputRate, Tools: "new_session", Duplex: true}
	}
	for range rapid.IntRange(0, 2).Draw(r, "s2s_faults") {
		s.S2S.Faults = append(s.S2S.Faults, scenario.S2SFault{
			On: rapid.SampledFrom([]string{"", "story", "inn", "name"}).Draw(r, "s2s_on"), After: ms(r, "s2s_after", 3000), Once: rapid.Bool().Draw(r, "s2s_once"), Round: rapid.IntRange(0, 2).Draw(r, "s2s_round"),
			Fault: rapid.SampledFrom([]string{
				"refused", "unreachable", "hang", "stalls", "dies", "closes", "leaves", "failed", "rate_limited", "malformed", "interrupts", "orphan", "two_items", "empty", "takes_back",
			}).Draw(r, "s2s_fault"),
		})
	}
}

func randomStep(r *rapid.T, s *scenario.Scene) scenario.Step {
	st := scenario.Step{Wait: ms(r, "wait", 1800)}
	who := rapid.SampledFrom([]string{"Anna", "Ben"}).Draw(r, "who")
	npc := s.NPCs[rapid.IntRange(0, len(s.NPCs)-1).Draw(r, "npc")].Name
	line := rapid.SampledFrom([]string{
		npc + ", tell us a story.", npc + ", what is your name?", npc + ", where is the [700ms] inn?", "And then?", "Mhm.",
		"Mira and Bartok, and you, where is the inn?", "No, wait, " + npc + ", and listen to me now!", "Let us go.",
	}).Draw(r, "line")
	switch rapid.IntRange(0, 11).Draw(r, "action") {
	case 0, 1, 2, 3:
		st.Who, st.Says = who, line
	case 4:
		st.Who, st.Types = who, line
	case 5, 6:
		st.Who, st.Makes = who, rapid.SampledFrom([]string{"cough", "laugh", "noise"}).Draw(r, "makes")
	case 7:
		st.Who, st.Leaves = who, true
	case 8:
		st.Who, st.Joins = who, true
	case 9:
		st.Mute = rapid.SampledFrom([]string{npc, "all"}).Draw(r, "mute")
	case 10:
		st.Unmute = "all"
	case 11:
		st.Say = &scenario.Order{NPC: npc, Text: "The bell rings. It does not stop."}
	}
	if rapid.IntRange(0, 3).Draw(r, "after_sound") == 0 {
		st.After = "audio.started"
	}
	return st
}
