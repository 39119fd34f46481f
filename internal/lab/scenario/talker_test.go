package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// talking is a scene for tests that use only its model.
const talking = `title: A model speaks
proves: Nothing by itself.
npcs: [{name: Mira, tools: [look]}, {name: Bartok}]
tools: [{name: look}]
engines: [s2s]
model:
  replies:
    - {on: story, says: "Once a king had three sons. The youngest could talk to geese."}
    - {on: inn, rounds: [{says: "Let me see.", calls: [{tool: look}]}, {says: "Over there."}]}
    - {on: luck, fault: rate_limited}
s2s:
  capabilities: {%s}
  faults: [%s]
story: [{who: Ana, says: "Hail."}]
expect: [{absent: barge}]
`

// heardOf formats a session's events, until it ends or sends nothing for a
// minute. The wire identifies the sound.
func heardOf(t *testing.T, k *talker, s s2s.Session) string {
	t.Helper()
	resample, err := audio.NewResampler(k.script.Capabilities.OutputRate, audio.SampleRate)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	var framer audio.Framer
	last := -1
	add := func(format string, args ...any) {
		if line := fmt.Sprintf(format, args...); len(out) == 0 || out[len(out)-1] != line {
			out = append(out, line)
		}
	}
	for {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		ev, err := s.Recv(ctx)
		stop()
		switch ev := ev.(type) {
		case s2s.InputTranscript:
			add("heard %q", ev.Text)
		case s2s.Audio:
			framer.Push(resample.Process(nil, ev.Samples))
			var f audio.Frame
			for framer.Next(&f) {
				if id := k.voice.wire.recognise(f[:]); id > last { // the resampler holds back the end of the previous one
					last = id
					add("sounds %q", k.voice.wire.sources[id].text)
				}
			}
		case s2s.OutputTranscript:
		case s2s.ToolCalled:
			add("calls %s", ev.Call.Name)
		case s2s.GenerationDone:
			add("done %d %s", ev.Calls, ev.Status)
		case s2s.Failed, s2s.GoingAway, s2s.Interrupted, s2s.ToolCancelled, s2s.Delegated:
			add("%s", strings.TrimPrefix(fmt.Sprintf("%T", ev), "s2s."))
		}
		if err != nil {
			if errors.Is(err, s2s.ErrClosed) {
				add("over")
			}
			return strings.Join(out, ", ")
		}
	}
}

// TestTalkerFollowsTheModelsScript checks that sessions answer a player's words
// from the sound alone.
func TestTalkerFollowsTheModelsScript(t *testing.T) {
	const story = "Mira, tell us a story."
	for _, row := range []struct{ name, says, can, fault, want string }{
		{"speaks", story, "", "", `heard "Mira, tell us a story.", sounds "Once a king had three sons.", sounds "The youngest could talk to geese.", done 0 completed`},
		{"speaks_at_the_rate_of_the_table", story, "output_rate: 48000", "", `heard "Mira, tell us a story.", sounds "Once a king had three sons.", sounds "The youngest could talk to geese.", done 0 completed`},
		{"calls", "Where is the inn?", "", "", `heard "Where is the inn?", sounds "Let me see.", calls look, done 1 completed, sounds "Over there.", done 0 completed`},
		{"does_not_tell_the_end", "Hail.", "ends_turns: false", "", `heard "Hail.", sounds "Aye."`},
		{"model_is_rate_limited", "What luck.", "", "", `heard "What luck.", done 0 failed`},
		{"hangs", story, "", "fault: hang", ``},
		{"on_another_line", story, "", "fault: hang, on: inn", `heard "Mira, tell us a story.", sounds "Once a king had three sons.", sounds "The youngest could talk to geese.", done 0 completed`},
		{"stalls", story, "", "fault: stalls, after: 1s", `heard "Mira, tell us a story.", sounds "Once a king had three sons."`},
		{"dies", story, "", "fault: dies, after: 1s", `heard "Mira, tell us a story.", sounds "Once a king had three sons.", over`},
		{"closes", "Hail.", "", "fault: closes, after: 1s", `heard "Hail.", sounds "Aye.", done 0 completed, over`},
		{"leaves", "Hail.", "", "fault: leaves, after: 1s", `heard "Hail.", GoingAway, sounds "Aye.", done 0 completed, over`},
		{"fails", "Hail.", "", "fault: failed", `heard "Hail.", done 0 failed`},
		{"malformed", "Hail.", "", "fault: malformed", `heard "Hail.", Failed, sounds "Aye.", done 0 completed`},
		{"interrupts", story, "", "fault: interrupts, after: 1s", `heard "Mira, tell us a story.", sounds "Once a king had three sons.", Interrupted, done 0 cancelled`},
		{"empty", "Hail.", "", "fault: empty", `heard "Hail.", done 0 completed`},
		{"takes_back", "Where is the inn?", "", "fault: takes_back, after: 1s", `heard "Where is the inn?", sounds "Let me see.", calls look, done 1 completed, ToolCancelled, sounds "Over there.", done 0 completed`},
		{"delegates", "Hail.", "duplex: true, manual_turns: false, ends_turns: false", "", `heard "Hail.", Delegated`},
		{"delegates_twice", "Hail.", "duplex: true, manual_turns: false, ends_turns: false", "fault: delegates_twice", `heard "Hail.", Delegated`},
	} {
		t.Run(row.name, func(t *testing.T) {
			fault := row.fault
			if fault != "" {
				fault = "{" + fault + "}"
			}
			s, problems := Parse("talking.yaml", fmt.Appendf(nil, talking, row.can, fault), nil)
			if err := problems.Err(); err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) { talk(t, s.Variants()[0], row.says, row.want) })
		})
	}
}

// talk lets Ana speak to a session of Mira's.
func talk(t *testing.T, s *Scene, says, want string) {
	rec := newRecord()
	m := newMicrophone(Player{Name: "Ana", Pitch: 120, Level: -14}, rec, 1)
	st := &stage{scene: s, rec: rec, wire: newWire(rec, false), microphones: map[string]*microphone{"Ana": m}}
	ctx, stop := context.WithCancel(t.Context())
	var goroutines sync.WaitGroup
	goroutines.Go(func() { m.sendPackets(ctx) })
	m.connectSeat(&packetLog{})
	defer goroutines.Wait()
	defer stop()
	before, err := speakStep(ctx, s, Step{Says: "What a day."}, m.player, nil)
	if err != nil {
		t.Fatal(err)
	}
	line, err := speakStep(ctx, s, Step{Says: says}, m.player, nil)
	if err != nil {
		t.Fatal(err)
	}
	<-m.queueSound(before)
	time.Sleep(time.Second)
	<-m.queueSound(line)
	k := newTalker(s, &writer{script: s.Model, npcs: s.NPCs, rec: rec}, &speaker{script: s.Voice, rec: rec, wire: st.wire}, st.lastSaid)
	session, err := k.provider.Connect(ctx, s2s.SessionOptions{Instructions: "You are Mira, and Bartok is your friend.", Tools: []llm.ToolDefinition{{Name: "look"}}})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(want, "ToolCancelled") {
		session.OnToolCall(func(llm.ToolCall) {}) // the calls stay unanswered
	}
	sound := slices.Concat(make([]int16, 4000), rig.Speech(120, spokenFor(says)*24_000/audio.SampleRate, -14), make([]int16, 9000))
	if err := errors.Join(session.BeginTurn(ctx), session.SendAudio(ctx, sound), session.Respond(ctx, s2s.Response{Speaker: "Ana"})); err != nil {
		t.Fatal(err)
	}
	if got := heardOf(t, k, session); got != want {
		t.Errorf("told:\n  %s\nwant\n  %s", got, want)
	}
	committed := 0
	for _, e := range rec.sorted() {
		if e.Kind == kindS2SCommitted && e.Fields["npc"] == "Mira" && e.Fields["text"] == says {
			committed++
		}
	}
	if committed != 1 {
		t.Errorf("%d turns were noted as committed, want one of Mira's", committed)
	}
	if err := session.Close(); err != nil || k.leftOpen() > 0 {
		t.Errorf("%d sessions are open, %v; want none", k.leftOpen(), err)
	}
}
