package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// checkScene checks the story and the expectations.
func (c *checker) checkScene() {
	s := c.scene
	if s.Title == "" {
		c.addProblem("", "the file is empty", "see docs/scenarios.md for what a scene looks like")
		return
	}
	if len(s.NPCs) == 0 {
		c.addProblem("", "there is no NPC", "describe one under npcs, or name a file under cast")
	}
	seen := map[string]bool{}
	for i, p := range s.Players {
		if seen[p.Name] {
			c.addProblem(userfile.Path("players").Item(i).Key("name"), "another player has this name", "rename one of them")
		}
		seen[p.Name] = true
	}
	seen = map[string]bool{}
	for i, t := range s.Tools {
		if seen[t.Name] {
			c.addProblem(userfile.Path("tools").Item(i).Key("name"), "another tool has this name", "rename one of them")
		}
		seen[t.Name] = true
	}
	for i, n := range s.NPCs {
		for k, t := range n.Tools {
			if !seen[t] && n.File == "" {
				c.addProblem(userfile.Path("npcs").Item(i).Key("tools").Item(k), fmt.Sprintf("there is no tool %q", t), "add it under tools")
			}
		}
	}
	for i, r := range s.Model.Replies {
		c.reply(userfile.Path("model.replies").Item(i), r)
	}
	var sound time.Duration
	for i, st := range s.Story {
		path := userfile.Path("story").Item(i)
		c.checkStep(path, st)
		before := sound
		if sound += st.sound(); before <= longestSound && sound > longestSound {
			c.addProblem(path, fmt.Sprintf("up to here the players speak for more than %v", longestSound), "make several scenes of it")
		}
	}
	for i, e := range s.Expect {
		path := userfile.Path("expect").Item(i)
		c.expectation(path, e)
		s.ExpectLines = append(s.ExpectLines, c.doc.Line(path))
	}
}

// longestSound bounds the sound of a scene's players, because it is generated
// before the scene and kept in memory.
const longestSound = 30 * time.Minute

// sound returns the length of a step's generated speech, with its pauses.
func (st Step) sound() time.Duration {
	pieces, err := parseLine(st.Says)
	if st.Says == "" || err != nil { // reported elsewhere
		return time.Duration(st.Lasts)
	}
	var all time.Duration
	for _, p := range pieces {
		all += p.pause
		if st.Lasts == 0 {
			all += spokenFor(p.text)
		}
	}
	return all + time.Duration(st.Lasts)
}

func (c *checker) reply(path userfile.Path, r Reply) {
	if r.NPC != "" && !c.scene.npc(r.NPC) {
		c.addProblem(path.Key("npc"), fmt.Sprintf("there is no NPC %q", r.NPC), "use a name under npcs")
	}
	if len(r.Rounds) > 0 && !r.empty() {
		c.addProblem(path, "a reply has either rounds or one round of its own", "move the rest into rounds")
	}
	for _, round := range append(r.Rounds, r.Round) {
		if round.Declines && (round.Says != "" || len(round.Calls) > 0) {
			c.addProblem(path, "who declines says and calls nothing", "remove declines, or the rest")
		}
	}
}

// empty reports whether the model does nothing in the round.
func (r Round) empty() bool { return r.Says == "" && len(r.Calls) == 0 && r.Fault == "" && !r.Declines }

// actions lists a step's actions, by key.
func (st Step) actions() []string {
	var out []string
	for _, a := range []struct {
		key  string
		does bool
	}{
		{"says", st.Says != ""}, {"types", st.Types != ""}, {"makes", st.Makes != ""}, {"joins", st.Joins}, {"leaves", st.Leaves},
		{"mute", st.Mute != ""}, {"unmute", st.Unmute != ""}, {"say", st.Say != nil}, {"raise", st.Raise != nil},
		{"lower", st.Lower != nil}, {"direct", st.Direct != nil}, {"edits", st.Edits != nil}, {"deletes", st.Deletes != ""},
		{"reveal", st.Reveal != nil}, {"conceal", st.Conceal != ""}, {"recast", len(st.Recast) > 0},
		{"listening", st.Listening != ""}, {"unsay", st.Unsay != nil},
	} {
		if a.does {
			out = append(out, a.key)
		}
	}
	return out
}

// byPlayer reports whether an action needs a player.
func byPlayer(action string) bool {
	return slices.Contains([]string{"says", "types", "makes", "joins", "leaves", "edits", "deletes"}, action)
}

func (c *checker) checkStep(path userfile.Path, st Step) {
	acts := st.actions()
	switch {
	case len(acts) == 0:
		c.addProblem(path, "nothing happens in this step", "add says, types, makes, joins, leaves, edits, deletes, mute, unmute, say, raise, lower, direct, reveal, conceal, unsay, recast or listening")
		return
	case len(acts) > 1:
		c.addProblem(path.Key(acts[1]), fmt.Sprintf("%s and %s cannot be in one step", acts[0], acts[1]), "make two steps of it")
		return
	case byPlayer(acts[0]) && st.Who == "":
		c.addProblem(path, acts[0]+" needs who does it", "add who")
	case !byPlayer(acts[0]) && st.Who != "":
		c.addProblem(path.Key("who"), acts[0]+" is done by the dungeon master", "remove who")
	}
	if st.After != "" && c.doc.HasValue(path.Key("at")) {
		c.addProblem(path.Key("at"), "a step has either at or after", "remove one of them")
	}
	if st.After != "" {
		c.trigger(path.Key("after"), st.After)
	}
	if st.Plays != "" {
		c.recording(path.Key("plays"), st)
	}
	if _, err := parseLine(st.Says); st.Says != "" && err != nil {
		c.addProblem(path.Key("says"), "says: "+err.Error(), "write a pause as [800ms]")
	}
	for key, name := range map[string]string{"mute": st.Mute, "unmute": st.Unmute, "conceal": st.Conceal} {
		if name != "" && name != "all" && !c.scene.npc(name) {
			c.addProblem(path.Key(key), fmt.Sprintf("there is no NPC %q", name), "use a name under npcs, or all")
		}
	}
	c.refs(path, st)
	for i, name := range st.Recast {
		if !c.scene.npc(name) {
			c.addProblem(path.Key("recast").Item(i), fmt.Sprintf("there is no NPC %q", name), "use a name under npcs")
		}
	}
	for key, o := range map[string]*Order{"say": st.Say, "direct": st.Direct} {
		if o != nil && !c.scene.npc(o.NPC) {
			c.addProblem(path.Key(key).Key("npc"), fmt.Sprintf("there is no NPC %q", o.NPC), "use a name under npcs")
		}
	}
	if r := st.Reveal; r != nil && !c.scene.npc(r.NPC) {
		c.addProblem(path.Key("reveal").Key("npc"), fmt.Sprintf("there is no NPC %q", r.NPC), "use a name under npcs")
	}
	if u := st.Unsay; u != nil && !c.scene.npc(u.NPC) {
		c.addProblem(path.Key("unsay").Key("npc"), fmt.Sprintf("there is no NPC %q", u.NPC), "use a name under npcs")
	}
	for key, r := range map[string]*Raise{"raise": st.Raise, "lower": st.Lower} {
		if r != nil && !c.scene.npc(r.NPC) {
			c.addProblem(path.Key(key).Key("npc"), fmt.Sprintf("there is no NPC %q", r.NPC), "use a name under npcs")
		}
	}
}

// refs checks that edited or deleted lines are typed in the story.
func (c *checker) refs(path userfile.Path, st Step) {
	if st.Ref != "" && st.Types == "" {
		c.addProblem(path.Key("ref"), "ref is of a typed line", "remove it, or add types")
	}
	wants := map[string]string{"deletes": st.Deletes}
	if st.Edits != nil {
		wants["edits.ref"] = st.Edits.Ref
	}
	for key, ref := range wants {
		if ref != "" && !slices.ContainsFunc(c.scene.Story, func(s Step) bool { return s.Ref == ref }) {
			c.addProblem(path.Key(key), fmt.Sprintf("no line has the ref %q", ref), "add ref to the step that types it")
		}
	}
}

// recording reads the sound of a step.
func (c *checker) recording(path userfile.Path, st Step) {
	if st.Says == "" {
		c.addProblem(path, "plays needs says: what is heard in it", "add says")
		return
	}
	text, err := c.read(filepath.Join(filepath.Dir(c.scene.File), filepath.FromSlash(st.Plays)))
	if err != nil {
		c.addProblem(path, "plays: "+describeFileError(err), "name a WAV file as seen from the scene's directory")
		return
	}
	sound, err := recorded(text)
	if err != nil {
		c.addProblem(path, "plays: "+err.Error(), "use 16-bit PCM")
		return
	}
	if c.scene.recordings == nil {
		c.scene.recordings = map[string][]int16{}
	}
	c.scene.recordings[st.Plays] = sound
}

// recorded reads a WAV file and resamples it to audio.SampleRate.
func recorded(text []byte) ([]int16, error) {
	wav, err := audio.ReadWAV(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	resample, err := audio.NewResampler(wav.Rate, audio.SampleRate)
	if err != nil {
		return nil, err
	}
	sound := resample.Flush(resample.Process(nil, wav.Mono()))
	first, end := loudRange(sound)
	if first == end {
		return nil, errors.New("nothing can be heard in it")
	}
	return sound[first:end], nil
}

// trigger checks a step's trigger, which must be visible while the scene plays.
func (c *checker) trigger(path userfile.Path, text string) {
	p, err := parsePattern(text)
	switch {
	case err != nil:
		c.addProblem(path, "after: "+err.Error(), "")
	case p.nth < 0 || p.kind == kindVoiceOff || p.kind == atEnd:
		c.addProblem(path, "after: this is only known when the scene is over", "wait for another event")
	case p.shift < 0:
		c.addProblem(path, "after: nothing can happen before what it waits for", "use a time after it")
	}
}

// kinds lists the kinds of an expectation, by key.
func (e Expectation) kinds() []string {
	var out []string
	for _, k := range []struct {
		key string
		is  bool
	}{
		{"event", e.Event != ""}, {"absent", e.Absent != ""}, {"order", e.Order != nil}, {"outcomes", e.Outcomes != nil},
		{"ledger", e.Ledger != nil}, {"transcript", e.Transcript != nil}, {"heard", e.Heard != nil},
		{"silent", e.Silent}, {"sounds", e.Sounds},
	} {
		if k.is {
			out = append(out, k.key)
		}
	}
	return out
}

func (c *checker) expectation(path userfile.Path, e Expectation) {
	kinds := e.kinds()
	switch {
	case len(kinds) == 0:
		c.addProblem(path, "nothing is expected here", "add event, absent, order, outcomes, ledger, transcript, heard, silent or sounds")
		return
	case len(kinds) > 1:
		c.addProblem(path.Key(kinds[1]), fmt.Sprintf("%s and %s are two expectations", kinds[0], kinds[1]), "make two of it")
		return
	}
	kind := kinds[0]
	patterns := map[string]string{"event": e.Event, "absent": e.Absent, "after": e.After, "before": e.Before}
	for i, o := range e.Order {
		patterns[fmt.Sprintf("order[%d]", i)] = o
	}
	for key, text := range patterns {
		if text == "" {
			continue
		}
		if _, err := parsePattern(text); err != nil {
			c.addProblem(path.Key(key), key+": "+err.Error(), "")
		}
	}
	numbers := ledgerNumbers()
	for key, value := range e.Ledger {
		number, known := numbers[key]
		switch {
		case !known:
			c.addProblem(path.Key("ledger").Key(key), fmt.Sprintf("the ledger has no field %q", key), "see the fields in docs/events.md")
		case number && !parseBound(value).numeric():
			c.addProblem(path.Key("ledger").Key(key), fmt.Sprintf("%s: %q is no number", key, value), `write "<1200", ">=10" or 0`)
		}
	}
	if e.Count != "" && !parseBound(e.Count).numeric() {
		c.addProblem(path.Key("count"), "count: "+fmt.Sprintf("%q is no number", e.Count), "write 2, <3 or >=1")
	}
	c.fitting(path, kind, e)
}

// fitting rejects keys that do not apply to the kind of expectation.
func (c *checker) fitting(path userfile.Path, kind string, e Expectation) {
	for _, k := range []struct {
		key   string
		given bool
		fits  []string
	}{
		{"within", e.Within != 0, []string{"event", "absent", "silent", "sounds"}},
		{"no_sooner", e.NoSooner != 0, []string{"event"}},
		{"count", e.Count != "", []string{"event"}},
		{"turn", e.Turn != 0, []string{"ledger"}},
		{"judge", e.Judge != "", []string{"event"}},
		{"after", e.After != "", []string{"event", "absent", "silent", "sounds"}},
		{"before", e.Before != "", []string{"event", "absent", "silent", "sounds"}},
	} {
		if k.given && !slices.Contains(k.fits, kind) {
			c.addProblem(path.Key(k.key), fmt.Sprintf("%s means nothing with %s", k.key, kind), "remove it; it goes with "+strings.Join(k.fits, ", "))
		}
	}
	if (e.Within != 0 || e.NoSooner != 0) && e.After == "" {
		c.addProblem(path, "within and no_sooner need after", "say after what")
	}
}
