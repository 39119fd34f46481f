package table_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/judge"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// act is one event at a random table.
type act struct {
	kind   string
	who    int // player or NPC
	words  string
	lasts  time.Duration
	before time.Duration // pause before it
}

var (
	randomPlayers = []string{"Ana", "Bob", "Cem"}
	randomWords   = []string{
		"Mira, what do you drink?", "Bart, come here!", "and why is that so?", "Mira and Bart, listen!", "mhm", "", "no, wait a moment, please",
		"Mira, what about the rules?", "Bart, roll a die", "write it down, Mira", "everybody be quiet now",
		doubtful, doubtful, murmur, "Mirra, and what does that cost?",
	}
	randomKinds = []string{
		"speak", "speak", "speak", "guess", "guess", "split", "split", "barge", "barge", "noise", "type", "wait", "mute", "unmute", "muteall", "unmuteall",
		"say", "raise", "lower", "direct", "listen", "deaf", "unheard", "leave",
		"type", "retract", "retract", "reword", "reword", "forget", "recast", "recast", "keep",
	}
)

// moods decide how model rounds, voices and verdicts go.
type moods struct {
	models, voices, judges []int
	model, voice, judge    atomic.Int64
	rested                 atomic.Bool // everything succeeds from now on
}

func (m *moods) next(of []int, n *atomic.Int64, well int) int {
	if m.rested.Load() {
		return well
	}
	return of[int(n.Add(1)-1)%len(of)]
}

func (m *moods) answer(req llm.Request) []step {
	done := len(results(req))
	switch mood := m.next(m.models, &m.model, 9); {
	case mood == 0:
		return []step{{after: 100 * ms, text: "Yes. "}, {after: 50 * ms, text: "I pour it out. "}, {after: 2 * time.Second, text: "Done."}}
	case mood == 1 && done == 0 && len(req.Tools) > 0:
		said := strings.Fields(" ." + req.Messages[len(req.Messages)-1].Content)
		return []step{{after: 200 * ms, text: "Let me look. "}, calls(req.Tools[0].Name, fmt.Sprintf(`{"x":%q}`, said[len(said)-1]))}
	case mood == 2 && done == 0 && len(req.Tools) > 0:
		return []step{{after: 200 * ms}, calls("write", `{"x":"y"}`)}
	case mood == 3:
		return []step{{after: 300 * ms, text: "First. And th"}, {after: 100 * ms, err: llm.ErrUnavailable}}
	case mood == 4:
		return []step{{after: 3 * time.Second, text: "Late. But here."}}
	case mood == 5:
		return []step{{hang: true}}
	case mood == 6:
		return []step{calls("ghost", `{"x":`)}
	case mood == 7:
		return []step{{text: " "}}
	case mood == 8, mood == 10 && done == 0: // it declines if it may
		return []step{{after: 300 * ms, text: "[sil"}, {after: 200 * ms, text: "ent] No"}, {after: time.Second, text: "body hears this."}}
	case mood == 11 && done > 0:
		return []step{{after: time.Second, text: "(says nothing)"}}
	case mood == 11 && len(req.Tools) > 0:
		return []step{calls("write", `{"x":"y"}`)}
	case mood == 13: // a clause long before its sentence ends
		return []step{{after: 200 * ms, text: "The old mill by the river burned, and nobody "}, {after: 900 * ms, text: "knows it. "}, {after: 50 * ms, text: "I do."}}
	case mood == 14:
		return []step{{after: 200 * ms, text: "The old mill by the river burned, and nobody "}, {after: 900 * ms, err: llm.ErrUnavailable}}
	}
	return []step{{text: "Aye. Nine it is."}}
}

// Judge implements table.Judge.
func (m *moods) Judge(ctx context.Context, q judge.Question) (judge.Verdict, error) {
	takes := 300 * ms
	v, err := verdict("mira"), error(nil)
	switch m.next(m.judges, &m.judge, 0) {
	case 1:
		v = verdict("bart")
	case 2:
		v, takes = verdict(""), 20*ms
	case 3:
		v, err = fails(q)
	case 4:
		takes = time.Hour
	case 5:
		v = judge.Verdict{Everyone: true, Addressee: judge.Everyone, Intent: judge.Speaks}
	case 6:
		v, takes = verdict(""), 690*ms
	}
	select {
	case <-time.After(takes):
		return v, err
	case <-ctx.Done():
		return judge.Verdict{}, context.Cause(ctx)
	}
}

func (*moods) SpeaksClauses() bool { return true }

func (m *moods) Synthesize(ctx context.Context, npc config.NPC, text string) iter.Seq2[[]int16, error] {
	v := sound{takes: 75 * ms, lasts: time.Duration(len(text)) * 60 * ms}
	switch m.next(m.voices, &m.voice, 0) {
	case 1:
		v.takes = 2 * time.Second
	case 2:
		v.err = context.DeadlineExceeded
	case 3:
		v.takes, v.lasts = 0, 20*ms
	}
	return v.Synthesize(ctx, npc, text)
}

// TestRandomTables plays random events in any order and checks the table's promises: every
// utterance has one turn and every turn one end, one voice sounds at a time and none after a
// stop, exactly the spoken lines are stored, retracted lines are neither stored nor in a
// prompt, no unheard answer has an effect, every raise ends, and in the end the table is idle
// and answers.
func TestRandomTables(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		acts, m := drawActs(rt), drawMoods(rt)
		manner := config.Interruptibility{
			Style:   rapid.SampledFrom([]string{config.StyleYields, config.StyleYields, config.StyleFinishesSentence, config.StyleInsists}).Draw(rt, "style"),
			Confirm: config.Duration(250 * ms), Resumes: rapid.Bool().Draw(rt, "resumes"),
		}
		var faults []string
		synctest.Test(t, func(t *testing.T) { faults = randomTable(t, acts, m, manner, nil) })
		if len(faults) > 0 {
			rt.Fatalf("%s\nacts: %+v", strings.Join(faults, "\n"), acts)
		}
	})
}

func drawActs(rt *rapid.T) []act {
	acts := make([]act, rapid.IntRange(3, 30).Draw(rt, "acts"))
	for i := range acts {
		acts[i] = act{
			kind: rapid.SampledFrom(randomKinds).Draw(rt, "kind"), who: rapid.IntRange(0, 2).Draw(rt, "who"),
			words:  rapid.SampledFrom(randomWords).Draw(rt, "words"),
			lasts:  time.Duration(rapid.IntRange(40, 2500).Draw(rt, "lasts")) * ms,
			before: time.Duration(rapid.SampledFrom([]int{0, 0, 50, 300, 500, 900, 2000, 6000}).Draw(rt, "before")) * ms,
		}
	}
	return acts
}

func drawMoods(rt *rapid.T) *moods {
	return &moods{
		models: rapid.SliceOfN(rapid.IntRange(0, 14), 4, 12).Draw(rt, "models"),
		voices: rapid.SliceOfN(rapid.IntRange(0, 6), 3, 8).Draw(rt, "voices"),
		judges: rapid.SliceOfN(rapid.IntRange(0, 6), 3, 8).Draw(rt, "judges"),
	}
}

// randomTable plays acts and returns the faults. own, if not nil, is the voice of Mira's own
// engine.
func randomTable(t *testing.T, acts []act, m *moods, manner config.Interruptibility, own *speechMoods) []string {
	l := &pupil{}
	set := setting{voice: m, judge: m, manner: manner, fillers: []string{"Hm."}, journal: &journal{takes: 30 * ms}}
	set.model = func(req llm.Request) []step {
		l.model(req)
		return m.answer(req)
	}
	violations := func() []string { return nil }
	if own != nil {
		violations = own.speakItself(&set)
	}
	r := heard(t, set)
	players, mail := map[int]*player{}, newMail()
	var talking []chan struct{}
	for _, a := range acts {
		time.Sleep(a.before)
		r.act(a, set, players, mail, &talking)
	}
	for _, done := range talking {
		<-done
	}
	time.Sleep(4 * time.Minute) // longer than any timeout
	m.rested.Store(true)
	if own != nil {
		own.rest()
	}
	r.recast(mira(set), bart(setting{}))
	mail.casts = append(mail.casts, casting{time.Now(), r.names()})
	j := &referee{room: r}
	for _, who := range []string{"Mira", "Bart"} {
		if _, err := r.Mute(t.Context(), who, false); err != nil {
			t.Error(err)
		}
		before := len(of[*table.TurnEnded](r.events))
		r.speak("Ana", who+", are you there?")
		time.Sleep(time.Minute)
		if ends := of[*table.TurnEnded](r.events); len(ends) != before+1 || ends[before].Outcome != table.OutcomeDelivered {
			j.fault("a table at rest answers a line with %+v", ends[before:])
		}
	}
	if own != nil { // the other engine continues turns that had begun
		l.begun = slices.DeleteFunc(l.begun, func(b begun) bool { return strings.Contains(b.prompt, "You are Mira,") })
		j.told(mail, own.rest())
	}
	j.told(mail, l.begun)
	for _, p := range players {
		p.leave()
	}
	r.close()
	j.turns()
	j.transcript(mail)
	j.raises()
	j.present(mail.casts)
	j.wire()
	return append(j.faults, violations()...)
}

func (r *room) act(a act, set setting, players map[int]*player, mail *mail, talking *[]chan struct{}) {
	ctx := context.Background()
	npc := []string{"Mira", "Bart", "all"}[a.who]
	seated := func() *player {
		if players[a.who] == nil {
			players[a.who] = r.join(randomPlayers[a.who])
		}
		return players[a.who]
	}
	talk := func(f func()) {
		done := make(chan struct{})
		*talking = append(*talking, done)
		go func() {
			defer close(done)
			f()
		}()
	}
	switch a.kind {
	case "speak", "guess":
		p := seated()
		if a.kind == "guess" && a.words != "" {
			talk(func() {
				time.Sleep(a.lasts * 3 / 4)
				p.hear.interim(a.words)
			})
		}
		talk(func() { p.say(a.words, a.lasts) })
	case "split": // within the merge window, or a little late
		p := seated()
		talk(func() {
			p.say("Mira, write down what I say", a.lasts/2)
			time.Sleep(500*ms + a.lasts/5)
			p.say(a.words, a.lasts/2)
		})
	case "barge":
		p := seated()
		talk(func() {
			sounds := len(r.wire.heard())
			for range 4000 {
				if len(r.wire.heard()) > sounds {
					break
				}
				time.Sleep(5 * ms)
			}
			p.say(a.words, a.lasts)
		})
	case "noise":
		p := seated()
		talk(func() { p.voice(a.lasts) })
	case "deaf":
		seated().fail()
	case "unheard":
		p := seated()
		p.hear.mu.Lock()
		p.hear.never = !p.hear.never
		p.hear.mu.Unlock()
	case "leave":
		if p := players[a.who]; p != nil {
			p.leave()
			delete(players, a.who)
		}
	case "type":
		check(r.t, r.Hear(ctx, mail.write(a.who, a.words)))
	case "keep":
		check(r.t, r.StoreUnanswered(ctx, mail.write(a.who, a.words), mail.write(a.who, "and that")))
	case "retract", "reword", "forget", "recast":
		r.edit(a, set, mail)
	case "mute", "muteall":
		_, _ = r.Mute(ctx, map[bool]string{true: "all", false: npc}[a.kind == "muteall"], true)
	case "unmute", "unmuteall":
		_, _ = r.Mute(ctx, map[bool]string{true: "all", false: npc}[a.kind == "unmuteall"], false)
	case "say":
		_ = r.Say(ctx, npc, "Last orders. Please go home.")
	case "raise":
		_, _ = r.Raise(ctx, npc, mcp.BudgetDeep, time.Minute, a.who)
	case "lower":
		_, _ = r.Lower(ctx, npc, mcp.BudgetFast)
	case "listen":
		_, _ = r.Listen(ctx, address.Listening(a.who))
	case "direct":
		_, _ = r.Direct(ctx, npc, "lie about the key", 2)
	case "wait":
		time.Sleep(a.lasts)
	}
}
