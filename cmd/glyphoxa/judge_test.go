package main_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
)

// TestModelDecidesWhomADoubtfulLineIsFor checks that the program asks its model
// about names heard wrongly, and about no other lines.
func TestModelDecidesWhomADoubtfulLineIsFor(t *testing.T) {
	t.Parallel()
	const toBartok, toNobody, plain = "Bardok, what does it cost?", "Bardok was here, you know, Ben?", "Bartok, an ale!"
	h, server := newModelProgram(t, func(r fakeopenai.Request) fakeopenai.Response {
		if !slices.Contains(offered(r), "decide") {
			return fakeopenai.Say("Two silver.")
		}
		var q struct {
			NPCs []struct{ ID, Name string }
			Line struct{ Text string } `json:"last_line"`
		}
		if err := json.Unmarshal([]byte(r.Chat.LastUser()), &q); err != nil {
			t.Errorf("the judge is asked %q: %v", r.Chat.LastUser(), err)
		}
		verdict := map[string]string{"addressee": "player", "intent": "about"}
		for _, n := range q.NPCs {
			if q.Line.Text == toBartok && strings.HasPrefix(n.Name, "Bartok") {
				verdict = map[string]string{"addressee": n.ID, "intent": "speaks"}
			}
		}
		args, err := json.Marshal(verdict)
		if err != nil {
			t.Error(err)
		}
		return fakeopenai.CallTools(fakeopenai.Call{Name: "decide", Arguments: string(args)})
	})
	h.costs(`  prices: [{provider: "openai *", input: 0, output: 1000}]
`)
	tr := h.play(plain, toBartok, toNobody, "/cost")
	for i, want := range []struct{ outcome, judge, text string }{{"delivered", "", "Two silver."}, {"delivered", "npc", "Two silver."}, {"no_target", "player", ""}} {
		turn := tr.want(3)[i]
		if turn.ended.Outcome != want.outcome || turn.ledger.Judge != want.judge || turn.ended.Text != want.text {
			t.Errorf("turn %d ended %+v, judge %q; want %+v", i+1, turn.ended, turn.ledger.Judge, want)
		}
		if (turn.ledger.JudgeCalls == 1) != (want.judge != "") || (turn.ledger.JudgeCost > 0) != (want.judge != "") {
			t.Errorf("turn %d: %d calls of the judge for %v", i+1, turn.ledger.JudgeCalls, turn.ledger.JudgeCost)
		}
	}
	if said := strings.Join(tr.notices("info"), "\n"); !strings.Contains(said, "(judge)") {
		t.Errorf("/cost says %q, want the judge's share", said)
	}
	judged := 0
	for _, r := range server.ChatRequests() {
		if slices.Contains(offered(r), "decide") {
			judged++
		}
	}
	if judged != 2 {
		t.Errorf("the judge was asked %d times, want twice", judged)
	}
}
