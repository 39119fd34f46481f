package scenario_test

import (
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lab/scenario"
)

// TestBrokenExpectationsFail breaks one expectation or one step of a passing
// scene, because a scene that cannot fail proves nothing.
func TestBrokenExpectationsFail(t *testing.T) {
	expect := func(e scenario.Expectation) func(*scenario.Scene) {
		return func(s *scenario.Scene) { s.Expect = []scenario.Expectation{e} }
	}
	short := config.Duration(time.Millisecond)
	for _, row := range []struct {
		name, scene string
		mutate      func(*scenario.Scene)
	}{
		{"too_late", "answer_fast", expect(scenario.Expectation{Event: "voice.on", After: "player.stops", Within: short})},
		{"too_early", "gap_between_two_npcs", expect(scenario.Expectation{Event: "voice.on npc=Greta", After: "voice.off npc=Bartok", NoSooner: config.Duration(time.Second)})},
		{"another_outcome", "answer_fast", expect(scenario.Expectation{Outcomes: []string{"failed"}})},
		{"half_heard", "answer_fast", expect(scenario.Expectation{Heard: []string{"Coming right up."}})},
		{"another_text", "barge_in_stops_within_the_confirm_window", expect(scenario.Expectation{Event: `barge text="Once a king."`})},
		{"what_is_not_absent", "cough_does_not_stop_the_npc", expect(scenario.Expectation{Absent: "sentence"})},
		{"silence_where_there_is_sound", "cough_does_not_stop_the_npc", expect(scenario.Expectation{Silent: true, After: "voice.on", Before: "turn.ended"})},
		{"sound_where_there_is_silence", "mute_in_the_middle_of_an_answer", expect(scenario.Expectation{Sounds: true, After: "audio.started", Before: "turn.ended +2s"})},
		{"another_order", "two_questions_in_a_row", expect(scenario.Expectation{Order: []string{"turn.ended turn=2", "turn.ended turn=1"}})},
		{"another_count", "duplicate_final_is_one_turn", expect(scenario.Expectation{Event: "turn.ended", Count: "2"})},
		{"ledger_bound", "tier_standard_by_keyword", expect(scenario.Expectation{Ledger: map[string]string{"tool_ms": "<600"}, Turn: 2})},
		{"another_transcript", "history_keeps_every_sentence", expect(scenario.Expectation{Transcript: []string{"Anna: Mira, a story.", "Mira: Once there was a king."}})},
		{"reference_that_never_came", "answer_fast", expect(scenario.Expectation{Event: "turn.ended", After: "barge"})},
		{"nobody_interrupts", "barge_in_stops_within_the_confirm_window", func(s *scenario.Scene) { s.Story = s.Story[:1] }},
		{"nobody_mutes", "mute_in_the_middle_of_an_answer", func(s *scenario.Scene) { s.Story = s.Story[:1] }},
		{"model_too_slow", "right_guess_saves_time", func(s *scenario.Scene) {
			s.Latency.Preemptive = config.PreemptOff
		}},
		{"tool_answers", "tool_hangs", func(s *scenario.Scene) { s.Tools[0].Hangs = false }},
		{"recogniser_answers", "final_that_never_comes", func(s *scenario.Scene) { s.STT.Faults = nil }},
		{"npc_yields", "insisting_npc_is_not_interrupted", func(s *scenario.Scene) { s.NPCs[0].Interruptibility.Style = config.StyleYields }},
		{"cough_is_speech", "cough_does_not_stop_the_npc", func(s *scenario.Scene) {
			s.Story[1].Makes, s.Story[1].Says = "", "Mira, we have no time for this!"
		}},
		{"step_that_never_comes", "answer_fast", func(s *scenario.Scene) {
			s.Story = append(s.Story, scenario.Step{After: "barge", Who: "Anna", Says: "What?"})
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			loaded, err := scenario.Load("../../../testdata/scenarios/" + row.scene + ".yaml")
			if err != nil {
				t.Fatal(err)
			}
			s := loaded[0]
			row.mutate(s)
			r, err := scenario.Play(t.Context(), s, nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.OK() {
				t.Errorf("%s passes although it was broken", row.scene)
				report(t, r)
			}
		})
	}
}

// TestBrokenSessionsFail changes the speech-to-speech model of a scene, or an
// expectation about it.
func TestBrokenSessionsFail(t *testing.T) {
	well := func(s *scenario.Scene) { s.S2S.Faults = nil }
	for _, row := range []struct {
		name, scene string
		mutate      func(*scenario.Scene)
	}{
		{"nothing_is_taken_back", "tool_taken_back", well},
		{"the_session_lasts", "server_closes", well},
		{"the_session_does_not_die", "server_closes_before_the_answer", well},
		{"nobody_leaves", "going_away", well},
		{"there_is_no_limit", "session_limit", func(s *scenario.Scene) { s.S2S.Limit = 0 }},
		{"the_rate_is_not_limited", "rate_limit", well},
		{"it_is_not_silent", "silent_session_falls_back", well},
		{"it_opens", "session_cannot_be_opened", well},
		{"it_goes_on", "vendor_interrupts_itself", well},
		{"it_takes_text", "typed_line_for_a_vendor_without_text", func(s *scenario.Scene) { s.S2S.Capabilities.Typed = true }},
		{"it_takes_tools", "same_delegation_twice", func(s *scenario.Scene) {
			s.S2S.Capabilities = scenario.S2SCapabilities{InputRate: 24_000, OutputRate: 24_000, Tools: "update"}
		}},
		{"its_tools_are_updated", "tier_raised_with_a_new_session", func(s *scenario.Scene) { s.S2S.Capabilities.Tools = "update" }},
		{"it_has_no_other_tools", "tier_raised_in_mid_session", func(s *scenario.Scene) { s.S2S.Capabilities.Tools = "new_session" }},
		{"nobody_interrupts", "barge_in_during_speech", func(s *scenario.Scene) { s.Story = s.Story[:1] }},
		{"another_speaks", "table_talk_stays_unanswered", func(s *scenario.Scene) { s.Story[1].Says = "Mira, an ale for the lady!" }},
		{"half_a_line", "first_word_is_not_cut", func(s *scenario.Scene) {
			s.Expect = []scenario.Expectation{{Event: `s2s.committed text="sell the lamp, Mira!"`}}
			s.ExpectLines = []int{1}
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			loaded, err := scenario.Load("../../../testdata/scenarios/engines/" + row.scene + ".yaml")
			if err != nil {
				t.Fatal(err)
			}
			all := loaded[0].Variants()
			s := all[len(all)-1]
			if s.Engine != config.EngineS2S {
				t.Fatalf("%s is played last with %s, want s2s", row.scene, s.Engine)
			}
			row.mutate(s)
			r, err := scenario.Play(t.Context(), s, nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.OK() {
				t.Errorf("%s passes although it was broken", row.scene)
				report(t, r)
			}
		})
	}
}
