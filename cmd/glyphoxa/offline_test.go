package main_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// isRulesTool reports whether a tool is a rules tool; both are too slow for the
// fast tier.
func isRulesTool(name string) bool { return name == "search_rules" || name == "get_rule" }

// TestFirstEvening checks the promise of the front page: in an empty directory,
// without key, server or file, the cast answers with its tools and within its
// budgets.
func TestFirstEvening(t *testing.T) {
	t.Parallel()
	tr := newProgram(t).play(
		"Greymantle, roll 2d6+3",
		"What does the blinded condition do?",
		"Bartok, what does the blinded condition do?",
	)
	turns := tr.want(3)
	for i, tn := range turns {
		if tn.heard == nil || tn.started == nil || tn.ended.Outcome != "delivered" || tn.ended.Text == "" {
			t.Fatalf("turn %d = %+v, want it heard, started and delivered", i+1, tn.all)
		}
		if tn.heard.Speaker != "Player" || tn.ledger.Budget != "met" || tn.ledger.TotalMS <= 0 || tn.ledger.FirstSoundMS <= 0 {
			t.Errorf("turn %d: speaker %q, ledger %s", i+1, tn.heard.Speaker, tn.ended.Ledger)
		}
	}
	t.Run("dice are rolled by the tool", func(t *testing.T) {
		tn := turns[0]
		if tn.started.NPC != "Greymantle the Sage" || tn.started.Route != "name" || tn.started.Tier != "standard" {
			t.Errorf("turn.started = %+v, want Greymantle by name at standard", *tn.started)
		}
		calls := tn.of("tool.called")
		if len(calls) != 1 || calls[0].Tool != "roll" || string(calls[0].Args) != `{"expression":"2d6+3"}` || calls[0].Round != 1 {
			t.Fatalf("calls = %+v, want roll of 2d6+3", calls)
		}
		if f := tn.of("tool.finished"); len(f) != 1 || f[0].Tool != "roll" || !f[0].OK || f[0].Error != "" {
			t.Errorf("tool.finished = %+v, want roll without an error", f)
		}
		checkRollSentence(t, tn.ended.Text)
		if tn.ledger.ToolRounds != 1 || tn.ledger.ToolMS <= 0 {
			t.Errorf("ledger = %s, want one round of tools", tn.ended.Ledger)
		}
	})
	t.Run("a line without a name goes on with who spoke last", func(t *testing.T) {
		tn := turns[1]
		if tn.started.NPC != "Greymantle the Sage" || tn.started.Route != "continuation" || tn.started.Tier != "standard" {
			t.Errorf("turn.started = %+v, want Greymantle by continuation at standard", *tn.started)
		}
		if !slices.ContainsFunc(tn.called(), isRulesTool) {
			t.Errorf("calls = %q, want a rules tool", tn.called())
		}
		if !strings.Contains(strings.ToLower(tn.ended.Text), "cannot see") && !strings.Contains(strings.ToLower(tn.ended.Text), "can't see") {
			t.Errorf("answer = %q, want what the rule says", tn.ended.Text)
		}
	})
	t.Run("a fast NPC is never offered what is too slow for it", func(t *testing.T) {
		tn := turns[2]
		if tn.started.NPC != "Bartok the Barkeep" || tn.started.Route != "name" || tn.started.Tier != "fast" || tn.started.Ceiling != "fast" {
			t.Errorf("turn.started = %+v, want Bartok by name at fast", *tn.started)
		}
		if slices.ContainsFunc(tn.started.Tools, isRulesTool) || len(tn.called()) != 0 {
			t.Errorf("offered %q, called %q; want no rules tool", tn.started.Tools, tn.called())
		}
	})
}

// rolled matches the stock phrase for a roll of 2d6+3.
var rolled = regexp.MustCompile(`2d6\+3: ([1-6]) and ([1-6]), plus 3, makes (\d+)\.`)

// checkRollSentence requires that the dice add up to the total.
func checkRollSentence(t testing.TB, text string) {
	t.Helper()
	m := rolled.FindStringSubmatch(text)
	if m == nil {
		t.Errorf("answer = %q, want the two dice and the total", text)
		return
	}
	if got, want := parseBytes(t, m[3]), parseBytes(t, m[1])+parseBytes(t, m[2])+3; got != want {
		t.Errorf("answer = %q: the total is %d, the dice make %d", text, got, want)
	}
}

func parseBytes(t testing.TB, s string) int {
	t.Helper()
	var n int
	if err := json.Unmarshal([]byte(s), &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestWhoIsSpokenTo checks which words decide which NPC answers.
func TestWhoIsSpokenTo(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name, line          string
		outcome, npc, route string
	}{
		{"nobody yet", "So, where were we?", "no_target", "", ""},
		{"a full name", "Bartok the Barkeep, good evening!", "delivered", "Bartok the Barkeep", "name"},
		{"nobody named, a conversation running", "And how is business?", "delivered", "Bartok the Barkeep", "continuation"},
		{"a name at the end", "What do you say, Juniper?", "delivered", "Juniper", "name"},
		{"a name in lower case", "hey greymantle", "delivered", "Greymantle the Sage", "name"},
		{"a name merely mentioned", "Do you like Bartok?", "delivered", "Greymantle the Sage", "continuation"},
		{"a name with a colon", "Juniper: where are you?", "delivered", "Juniper", "name"},
		{"another language", "Guten Abend, Frau Drossel!", "delivered", "Wilhelmina Drossel", "name"},
		{"everybody", "Is anybody here?", "delivered", "Wilhelmina Drossel", "group"},
		{"everybody, and a second answers", "", "delivered", "Bartok the Barkeep", "reaction"},
	}
	var lines []string
	for _, row := range rows {
		if row.line != "" {
			lines = append(lines, row.line)
		}
	}
	turns := newProgram(t).play(lines...).want(len(rows))
	for i, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			tn, route := turns[i], ""
			if tn.started != nil {
				route = tn.started.Route
			}
			if tn.ended.Outcome != row.outcome || tn.ended.NPC != row.npc || route != row.route {
				t.Errorf("%q: %s by %q over %q, want %s by %q over %q", row.line, tn.ended.Outcome, tn.ended.NPC, route, row.outcome, row.npc, row.route)
			}
		})
	}
}

// TestWhoSpeaks checks that each line is stored under its speaker's name.
func TestWhoSpeaks(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	input := "Bartok, hello\nBob: Bartok, hello\nMary Ann O'Neill: hello\nnot a name: hello\n"
	turns := parse(t, h.run(input, "play", "--json", "--npc", "bartok", "--speaker", "Ädele").ok(t).stdout).want(4)
	want := [][2]string{
		{"Ädele", "Bartok, hello"}, {"Bob", "Bartok, hello"}, {"Mary Ann O'Neill", "hello"}, {"Ädele", "not a name: hello"},
	}
	for i, tn := range turns {
		if tn.heard.Speaker != want[i][0] || tn.heard.Text != want[i][1] {
			t.Errorf("utterance %d = %q: %q, want %q", i+1, tn.heard.Speaker, tn.heard.Text, want[i])
		}
	}
}

// TestOneNPCAlone checks that with --npc every line is for that NPC.
func TestOneNPCAlone(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bartok-the-barkeep", "BART"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := parse(t, newProgram(t).run("Hello there\nGreymantle, hello\n", "play", "--json", "--npc", name).ok(t).stdout)
			for _, tn := range tr.want(2) {
				if tn.started == nil || tn.started.NPC != "Bartok the Barkeep" || tn.started.Route != "only_npc" {
					t.Errorf("turn.started = %+v, want Bartok as the only NPC", tn.started)
				}
			}
		})
	}
}

// TestInWords checks the text output of a table.
func TestInWords(t *testing.T) {
	t.Parallel()
	out := newProgram(t).run("Greymantle, roll 2d6+3\nhm\n/quit\nnever read\n", "play").ok(t).stdout
	for _, want := range []string{
		"Thornhollow\n", "At the table: ", "Bartok the Barkeep (fast)", "Greymantle the Sage: ", "/help",
		"· the NPCs only speak prepared lines, because no language model is configured.", "[standard · answered · first sound ", "roll ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("output lacks %q:\n%s", want, out)
		}
	}
	checkRollSentence(t, out)
	if strings.ContainsAny(out, "\x1b{") || strings.Contains(out, "never read") {
		t.Errorf("output has escapes, JSON or what came after /quit:\n%s", out)
	}
}

// TestMemoryOutlivesAnEvening checks that a second run finds lines of the
// first.
func TestMemoryOutlivesAnEvening(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.play("Bartok, the password is quicksilver")
	if found := h.found("quicksilver"); !slices.Contains(found, "Player: Bartok, the password is quicksilver") {
		t.Errorf("found %q, want what the player said", found)
	}
	tn := h.play("Greymantle, do you remember what I said about quicksilver?").only("delivered")
	if !slices.Contains(tn.called(), "search_sessions") || !strings.Contains(tn.ended.Text, "quicksilver") {
		t.Errorf("called %q and said %q, want the transcript searched and quoted", tn.called(), tn.ended.Text)
	}
}

// found searches the transcript of a finished play as agents do.
func (h *program) found(words string) []string {
	h.t.Helper()
	query, err := json.Marshal(map[string]string{"query": words})
	if err != nil {
		h.t.Fatal(err)
	}
	var got struct {
		Lines []struct{ Speaker, Text string } `json:"lines"`
	}
	out := h.run("", "tools", "call", "search_sessions", string(query)).ok(h.t).stdout
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		h.t.Fatalf("search_sessions said %s: %v", out, err)
	}
	var lines []string
	for _, l := range got.Lines {
		lines = append(lines, l.Speaker+": "+l.Text)
	}
	return lines
}
