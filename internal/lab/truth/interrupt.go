package truth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/lab/scenario"
)

// interruption is a row of interrupt/dev.jsonl and interrupt/test.jsonl: a
// player's line over an NPC's answer. See the page there.
type interruption struct {
	ID, Lang, Class string
	NPC             struct{ Name, Role string }
	Players         []struct{ Name string }
	DM              string
	OtherNPC        string `json:"other_npc"`
	AskedBy         string `json:"asked_by"`
	Sentences       []string
	At              int
	Who, Text       string
}

// overlap is the effect on the answer.
type overlap struct {
	stopped  bool
	unplayed bool    // the scene cannot be played
	heard    float64 // the share of the answer's words that were heard
	broken   string  // a violated rule of scenes, for example a word heard twice
}

// Interrupt plays each case at a real table in virtual time: an NPC says three
// sentences, and a player speaks during one of them. It counts whether the NPC
// continues through assent and talk to others, and stops for lines meant for
// it. Where the table asks the NPC's model, it plays the case with a model that
// always declines and with one that never does, which shows the model's share.
func Interrupt(ctx context.Context, o Options) (*Report, error) {
	report := &Report{}
	if err := interruptPart(ctx, o, report, "dev"); err != nil || !o.Held {
		return report, err
	}
	return report, interruptPart(ctx, o, report, "test")
}

// interruptBounds are lower bounds of each class, in percent, in either half:
// with a model that judges right, and with one that always errs, which shows
// the table's own share.
var interruptBounds = map[bool]map[string]float64{
	true:  {"goes on through assent": 95, "goes on through talk to others": 96, "stops for what is meant for it": 96},
	false: {"goes on through assent": 48, "goes on through talk to others": 46, "stops for what is meant for it": 50},
}

// heardBound is the lower bound of words heard through assent and talk, in
// percent, with a model that judges right.
const heardBound = 97

func interruptPart(ctx context.Context, o Options, report *Report, part string) error {
	cases, err := readRows[interruption](o.corpus("interrupt", part+".jsonl"))
	if err != nil {
		return err
	}
	o.say("interrupt " + part)
	played := make([][2]overlap, len(cases)) // by a declining model, and by an answering one
	if err := each(ctx, len(cases)*2, func(i int) (err error) {
		played[i/2][i%2], err = cases[i/2].play(ctx, i%2 == 0)
		return err
	}); err != nil {
		return err
	}
	errs, right := tally{}, tally{}
	heard := map[string][]float64{}
	names := map[string]string{"assent": "goes on through assent", "other": "goes on through talk to others", "mine": "stops for what is meant for it"}
	for i, c := range cases {
		declines, answers := played[i][0], played[i][1]
		if declines.unplayed || answers.unplayed {
			report.Notes = append(report.Notes, part+": "+c.ID+" was not played")
			continue
		}
		worst, best := answers, declines // for a case in which the NPC should continue
		if c.Class == "mine" {
			worst, best = declines, answers
		}
		for _, name := range []string{names[c.Class], names[c.Class] + ", " + c.Lang} {
			errs.count(name, worst.stopped == (c.Class == "mine"))
			right.count(name, best.stopped == (c.Class == "mine"))
		}
		right.count("left to the model: "+c.Class, declines.stopped != answers.stopped)
		if c.Class != "mine" {
			heard["with a model that is right"] = append(heard["with a model that is right"], best.heard)
			heard["with a model that never declines"] = append(heard["with a model that never declines"], worst.heard)
		}
		for _, p := range played[i] {
			if p.broken != "" {
				report.broke("%s: %s", c.ID, p.broken)
			}
		}
		if part == "dev" && best.stopped != (c.Class == "mine") {
			report.missed("%s %s: %s: %q over %q", c.ID, c.Class, c.Who, c.Text, c.Sentences[c.At])
		}
		if part == "dev" && worst.stopped != best.stopped {
			report.missed("%s %s, left to the model: %s: %q", c.ID, c.Class, c.Who, c.Text)
		}
	}
	report.Tables = append(report.Tables,
		scoreTable("interrupt "+part+", with a model that judges right", right.sorted()),
		scoreTable("interrupt "+part+", with a model that always errs", errs.sorted()))
	t := Table{Title: "words heard of words meant, interrupt " + part, Columns: []Column{{"what", "%s"}, {"percent", "%.1f"}}}
	for _, what := range []string{"with a model that is right", "with a model that never declines"} {
		sum := 0.0
		for _, h := range heard[what] {
			sum += h
		}
		share := 100 * sum / float64(len(heard[what]))
		t.Rows = append(t.Rows, []any{what, share})
		if what == "with a model that is right" && share < heardBound {
			report.broke("interrupt %s: %.1f %% of the words are heard, want %d at least", part, share, heardBound)
		}
	}
	report.Tables = append(report.Tables, t)
	for rightly, bounds := range interruptBounds {
		scores := map[bool]tally{true: right, false: errs}[rightly]
		for what, least := range bounds {
			if got := scores.of(what); got.percent() < least {
				report.broke("interrupt %s: %s (a model that judges right: %v): %.1f %%, want %.0f at least", part, what, rightly, got.percent(), least)
			}
		}
	}
	return nil
}

// each calls f for the numbers below n, several at once, until a call fails or
// ctx ends.
func each(ctx context.Context, n int, f func(i int) error) error {
	var work sync.WaitGroup
	next, errs := make(chan int), make(chan error, n)
	for range runtime.GOMAXPROCS(0) {
		work.Go(func() {
			for i := range next {
				if err := f(i); err != nil {
					errs <- err
				}
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil && len(errs) == 0; i++ {
		next <- i
	}
	close(next)
	work.Wait()
	close(errs)
	return errors.Join(ctx.Err(), <-errs)
}

// object is a JSON object, which is also YAML.
type object map[string]any

// asks stands for the question to the NPC.
const asks = "(asks)"

// scene returns the case as a scene, with a model that declines whenever it
// may, or never.
func (c interruption) scene(declines bool) object {
	replies := []object{{"on": asks, "npc": c.NPC.Name, "says": strings.Join(c.Sentences, " ")}}
	over := object{"npc": c.NPC.Name, "on": c.Text, "says": "Very well."}
	if declines {
		over = object{"npc": c.NPC.Name, "on": c.Text, "declines": true}
	}
	replies = append(replies, over)
	story := []object{}
	for _, p := range c.Players {
		if p.Name != c.AskedBy { // an earlier line makes the other players known
			story = append(story, object{"wait": "2s", "who": p.Name, "says": map[string]string{"de": "so, da bin ich wieder", "en": "right, I am back"}[c.Lang]})
		}
	}
	after := "audio.started +400ms"
	if c.At > 0 {
		after = fmt.Sprintf("sentence @%d +400ms", c.At)
	}
	story = append(story,
		object{"wait": "3s", "who": c.AskedBy, "says": c.NPC.Name + ", " + asks},
		object{"after": after, "who": c.Who, "says": c.Text})
	return object{
		"title": c.ID, "proves": "interrupt", "languages": []string{c.Lang}, "table": object{"leads": c.DM},
		"npcs":  []object{{"name": c.NPC.Name, "role": c.NPC.Role}, {"name": c.OtherNPC}},
		"model": object{"replies": replies}, "story": story,
		"expect": []object{{"event": "end"}},
	}
}

func (c interruption) play(ctx context.Context, declines bool) (o overlap, err error) {
	text, err := json.Marshal(c.scene(declines))
	if err != nil {
		return o, err
	}
	s, problems := scenario.Parse(c.ID+".yaml", text, os.ReadFile)
	if err := problems.Err(); err != nil {
		return o, fmt.Errorf("%s: %w", c.ID, err)
	}
	result, err := scenario.Play(ctx, s, nil)
	if err != nil {
		return o, fmt.Errorf("%s: %w", c.ID, err)
	}
	for _, v := range result.Verdicts {
		if !v.OK && !v.Skipped {
			o.broken = v.Expect + ": " + v.Message
		}
	}
	meant, turn, ended := strings.Fields(strings.Join(c.Sentences, " ")), "", false
	for _, e := range result.Entries {
		switch {
		case e.Kind == "notice" && strings.Contains(e.Fields["text"], "nobody is called"):
			o.unplayed = true // the recogniser of scenes does not support players with marked names
		case e.Kind == "utterance" && strings.HasSuffix(e.Fields["text"], asks):
			turn = e.Fields["turn"]
		case e.Kind == "turn.ended" && e.Fields["turn"] == turn:
			ended = true
			o.stopped = e.Fields["outcome"] == "barged"
			o.heard = float64(len(strings.Fields(e.Fields["text"]))) / float64(len(meant))
		}
	}
	if !ended && !o.unplayed {
		return o, fmt.Errorf("%s: the NPC's turn has not ended", c.ID)
	}
	return o, nil
}
