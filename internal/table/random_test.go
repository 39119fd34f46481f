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

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// act is something that happens at a random table.
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
	}
	randomKinds = []string{
		"speak", "speak", "speak", "guess", "guess", "split", "split", "barge", "barge", "noise", "type", "wait", "mute", "unmute", "muteall", "unmuteall",
		"say", "raise", "lower", "direct", "deaf", "unheard", "leave",
		"type", "retract", "retract", "reword", "reword", "forget", "recast", "recast", "keep",
	}
)

// moods are how a model round or a voice goes.
type moods struct {
	models, voices []int
	model, voice   atomic.Int64
}

func (m *moods) next(of []int, n *atomic.Int64) int { return of[int(n.Add(1)-1)%len(of)] }

func (m *moods) answer(req llm.Request) []step {
	done := len(results(req))
	switch mood := m.next(m.models, &m.model); {
	case mood == 0:
		return []step{{after: 100 * ms, text: "Yes. "}, {after: 50 * ms, text: "I pour it out. "}, {after: 2 * time.Second, text: "Done."}}
	case mood == 1 && done == 0 && len(req.Tools) > 0:
		return []step{{after: 200 * ms, text: "Let me look. "}, calls(req.Tools[0].Name, `{}`)}
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
	}
	return []step{{text: "Aye. Nine it is."}}
}

func (m *moods) Synthesize(ctx context.Context, npc config.NPC, text string) iter.Seq2[[]int16, error] {
	v := sound{takes: 75 * ms, lasts: time.Duration(len(text)) * 60 * ms}
	switch m.next(m.voices, &m.voice) {
	case 1:
		v.takes = 2 * time.Second
	case 2:
		v.err = context.DeadlineExceeded
	case 3:
		v.takes, v.lasts = 0, 20*ms
	}
	return v.Synthesize(ctx, npc, text)
}

// TestRandomTables lets all happen at a table that can, in any order, and holds
// it to its promises: every utterance has one turn and every turn one end, one
// voice sounds at a time and none after it was stopped, what is kept is what was
// said and nothing of that is lost, what was taken back is neither kept nor
// given to a model, nothing acts that was not heard, every raise ends, and in
// the end the table is idle and answers.
func TestRandomTables(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(3, 30).Draw(rt, "acts")
		acts := make([]act, n)
		for i := range acts {
			acts[i] = act{
				kind: rapid.SampledFrom(randomKinds).Draw(rt, "kind"), who: rapid.IntRange(0, 2).Draw(rt, "who"),
				words:  rapid.SampledFrom(randomWords).Draw(rt, "words"),
				lasts:  time.Duration(rapid.IntRange(40, 2500).Draw(rt, "lasts")) * ms,
				before: time.Duration(rapid.SampledFrom([]int{0, 0, 50, 300, 500, 900, 2000, 6000}).Draw(rt, "before")) * ms,
			}
		}
		m := &moods{
			models: rapid.SliceOfN(rapid.IntRange(0, 12), 4, 12).Draw(rt, "models"),
			voices: rapid.SliceOfN(rapid.IntRange(0, 6), 3, 8).Draw(rt, "voices"),
		}
		manner := config.Interruptibility{
			Style:   rapid.SampledFrom([]string{config.StyleYields, config.StyleYields, config.StyleFinishesSentence, config.StyleInsists}).Draw(rt, "style"),
			Confirm: config.Duration(250 * ms), Resumes: rapid.Bool().Draw(rt, "resumes"),
		}
		var faults []string
		synctest.Test(t, func(t *testing.T) { faults = randomTable(t, acts, m, manner) })
		if len(faults) > 0 {
			rt.Fatalf("%s\nacts: %+v", strings.Join(faults, "\n"), acts)
		}
	})
}

// randomTable plays acts and returns what was wrong.
func randomTable(t *testing.T, acts []act, m *moods, manner config.Interruptibility) []string {
	l := &pupil{}
	set := setting{voice: m, manner: manner, fillers: []string{"Hm."}, journal: &journal{takes: 30 * ms}}
	set.model = func(req llm.Request) []step {
		l.model(req)
		return m.answer(req)
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
	time.Sleep(4 * time.Minute) // more than any timeout
	m.models, m.voices = []int{9}, []int{0}
	r.recast(mira(set), bart())
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
			continue
		}
		j.told(mail, l.asked())
	}
	for _, p := range players {
		p.leave()
	}
	r.close()
	j.turns()
	j.transcript(mail)
	j.raises()
	j.present(mail.casts)
	j.wire()
	return j.faults
}

// mail is what was written at a random table.
type mail struct {
	refs  []string
	user  map[string]string // by ref
	text  map[string]string // as it stands; empty if it was taken back
	stale map[string]bool   // what no longer stands: words that occur nowhere else
	casts []casting
}

// casting is who is at a table from a time on.
type casting struct {
	at   time.Time
	npcs []string
}

func newMail() *mail {
	return &mail{user: map[string]string{}, text: map[string]string{}, stale: map[string]bool{}}
}

// write makes a message of words, with one that occurs in no other.
func (m *mail) write(who int, words string) table.Utterance {
	ref := fmt.Sprintf("m%d.", len(m.refs))
	m.refs = append(m.refs, ref)
	m.user[ref] = "id:" + randomPlayers[who]
	m.rewrite(ref, words)
	return table.Utterance{Speaker: randomPlayers[who], Text: m.text[ref], User: m.user[ref], Ref: ref}
}

// rewrite changes a message and returns its text.
func (m *mail) rewrite(ref, words string) string {
	if old := m.text[ref]; old != "" {
		m.stale[old[strings.LastIndexByte(old, ' ')+1:]] = true
	}
	m.text[ref] = ""
	if words != "" {
		m.text[ref] = fmt.Sprintf("%s x%dx", words, len(m.refs)+1000*len(m.stale))
	}
	return m.text[ref]
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
		check(r.t, r.Keep(ctx, mail.write(a.who, a.words), mail.write(a.who, "and that")))
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
	case "direct":
		_, _ = r.Direct(ctx, npc, "lie about the key", 2)
	case "wait":
		time.Sleep(a.lasts)
	}
}

// edit changes what was said, or who is at the table.
func (r *room) edit(a act, set setting, mail *mail) {
	ctx := context.Background()
	ref := ""
	if n := len(mail.refs); n > a.who {
		ref = mail.refs[n-1-a.who]
	}
	switch a.kind {
	case "retract":
		mail.rewrite(ref, "")
		check(r.t, r.Retract(ctx, ref))
	case "reword":
		if mail.text[ref] != "" { // what was taken back cannot be
			check(r.t, r.Reword(ctx, ref, mail.rewrite(ref, a.words)))
		}
	case "forget":
		user := "id:" + randomPlayers[a.who]
		for ref, u := range mail.user {
			if u == user {
				mail.rewrite(ref, "")
			}
		}
		check(r.t, r.Forget(ctx, user))
		_, err := r.journal.Forget(ctx, user)
		check(r.t, err)
	case "recast":
		other := bart()
		other.BudgetTier, other.Personality = mcp.BudgetDeep, a.words
		r.recast([][]config.NPC{{mira(set)}, {zed(), other}, {mira(set), other}}[a.who]...)
		mail.casts = append(mail.casts, casting{time.Now(), r.names()})
	}
}

// referee looks at what a table did.
type referee struct {
	*room
	faults []string
}

func (j *referee) fault(format string, args ...any) {
	j.faults = append(j.faults, fmt.Sprintf(format, args...))
}

// turns holds the events to their promises.
func (j *referee) turns() {
	ends, said, barged := map[int64]*table.TurnEnded{}, map[int64][]string{}, map[int64]bool{}
	var wrote []int64
	due := map[int64]bool{}
	for _, e := range of[table.Event](j.events) {
		n := table.HeaderOf(e).Turn
		if ends[n] != nil && n > 0 {
			j.fault("turn %d goes on after its end: %+v", n, e)
		}
		switch e := e.(type) {
		case *table.Heard:
			if due[n] && !e.Continued {
				j.fault("turn %d has two utterances", n)
			}
			due[n] = true
		case *table.TurnStarted:
			due[n] = true
		case *table.Sentence:
			said[n] = append(said[n], e.Text)
		case *table.Filler:
			said[n] = append(said[n], e.Text)
		case *table.Barge:
			barged[n] = true
		case *table.ToolFinished:
			if e.Tool == "write" && e.OK {
				wrote = append(wrote, n)
			}
		case *table.TurnEnded:
			ends[n] = e
			if e.Ledger.Budget == "" || e.Outcome == table.OutcomeFailed && e.Ledger.BreachStage == "" {
				j.fault("turn %d is not accounted for: %+v", n, e)
			}
		}
	}
	for n := range due {
		if ends[n] == nil {
			j.fault("turn %d never ends", n)
		}
	}
	for n, e := range ends {
		if got := strings.Join(said[n], " "); got != e.Text {
			j.fault("turn %d ends with %q, delivered was %q", n, e.Text, got)
		}
		if barged[n] != (e.Outcome == table.OutcomeBarged) {
			j.fault("turn %d ends %s, barge told: %v", n, e.Outcome, barged[n])
		}
	}
	if len(wrote) != *j.wrote {
		j.fault("%d writes were told, %d done", len(wrote), *j.wrote)
	}
	for _, n := range wrote {
		if e := ends[n]; e == nil || e.Outcome != table.OutcomeDelivered {
			j.fault("turn %d wrote, and ended %+v", n, e)
		}
	}
}

// told holds what a model was given to what was taken back.
func (j *referee) told(m *mail, prompt string) {
	for word := range m.stale {
		if strings.Contains(prompt, word) {
			j.fault("%s was taken back, and a model is given\n%s", word, prompt)
		}
	}
}

// present has nobody speak who is not at the table.
func (j *referee) present(casts []casting) {
	for _, e := range of[table.Event](j.events) {
		var npc string
		switch e := e.(type) {
		case *table.TurnStarted:
			npc = e.NPC
		case *table.AudioStarted:
			npc = e.NPC
		case *table.Sentence:
			npc = e.NPC
		default:
			continue
		}
		h := table.HeaderOf(e)
		for i, c := range casts {
			now := h.Time.After(c.at) && (i+1 == len(casts) || h.Time.Before(casts[i+1].at))
			if now && !slices.Contains(c.npcs, npc) {
				j.fault("%s is not at the table: %+v", npc, e)
			}
		}
	}
}

// raises holds the tiers' events to their promises.
func (j *referee) raises() {
	raised := map[string]bool{}
	for _, e := range of[*table.Tier](j.events) {
		ends := e.Change == table.TierLowered || e.Change == table.TierExpired
		if ends && !raised[e.NPC] {
			j.fault("a raise ends that is none: %+v", e)
		}
		if ends || e.Change == table.TierRaised {
			raised[e.NPC] = !ends
		}
	}
	for npc, still := range raised {
		if still {
			j.fault("the raise of %s never ends", npc)
		}
	}
}

// transcript holds what was kept to what was said.
func (j *referee) transcript(m *mail) {
	said := map[int64]string{}
	for _, e := range of[*table.Heard](j.events) {
		said[e.Turn] = e.Text
	}
	written := map[string]int{}
	for _, l := range j.journal.kept() {
		if l.NPC != "" {
			continue
		}
		if l.Ref != "" {
			written[l.Ref]++
			if l.Text != m.text[l.Ref] {
				j.fault("message %s is kept as %q, it reads %q", l.Ref, l.Text, m.text[l.Ref])
			}
		} else if l.Text != said[l.Turn] {
			j.fault("turn %d is kept as %q, said was %q", l.Turn, l.Text, said[l.Turn])
		}
		delete(said, l.Turn)
	}
	for ref, text := range m.text {
		if want := min(len(text), 1); written[ref] != want {
			j.fault("message %s, %q, is kept %d times", ref, text, written[ref])
		}
	}
	for turn, text := range said {
		if text != "" && !strings.HasSuffix(text, "x") { // those were written
			j.fault("turn %d, %q, is not kept", turn, text)
		}
	}
	var want []string
	for _, e := range of[*table.TurnEnded](j.events) {
		if e.Text != "" {
			want = append(want, e.NPC+": "+e.Text)
		}
	}
	var got []string
	for _, l := range j.journal.kept() {
		if l.NPC != "" {
			got = append(got, l.Speaker+": "+l.Text)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		j.fault("kept was %q, said was %q", got, want)
	}
}

// wire holds the sound to the events.
func (j *referee) wire() {
	type span struct{ from, to time.Time }
	spans := map[string][]span{}
	open := map[int64]time.Time{}
	for _, e := range of[table.Event](j.events) {
		h := table.HeaderOf(e)
		switch e := e.(type) {
		case *table.AudioStarted:
			open[h.Turn] = h.Time
		case *table.TurnEnded:
			if at, ok := open[h.Turn]; ok {
				spans[e.NPC] = append(spans[e.NPC], span{at, h.Time})
			}
		}
	}
	voices := map[int16]string{1000: "Mira", 3000: "Bartok the Barkeep", 5000: "Zedekia"}
	var last time.Time
	for _, f := range j.room.wire.heard() {
		if f.sample == 0 { // the rest of a fade
			continue
		}
		npc, known := voices[f.sample]
		if !known {
			j.fault("two voices at once: a sample of %d at %v", f.sample, f.at)
			return
		}
		if f.at.Equal(last) {
			j.fault("two frames at %v", f.at)
		}
		last = f.at
		if !slices.ContainsFunc(spans[npc], func(s span) bool {
			return !f.at.Before(s.from.Add(-ms)) && !f.at.After(s.to.Add(20*ms))
		}) {
			j.fault("%s sounds at %v, outside of its turns", npc, f.at)
			return
		}
	}
}
