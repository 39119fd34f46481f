package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

func TestStrongModelGoesOnAfterTheOpener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fast := says(text(200*ms, "[MORE] Ah, "), text(20*ms, "the bridge. It is"), text(time.Hour, " never heard."))
		strong := says(text(900*ms, "It fell last winter. "), text(50*ms, "Take the ferry."))
		req := request(t)
		h := play(t.Context(), fast, strong, req)
		if h.err != nil || h.String() != "token | Ah, the bridge. | It fell last winter. | Take the ferry." {
			t.Errorf("heard %v, error %v", h, h.err)
		}
		if want := []time.Duration{200 * ms, 220 * ms, 1120 * ms, 1170 * ms}; !slices.Equal(h.at, want) || h.first != 200*ms {
			t.Errorf("at %v, want %v; the first token after %v", h.at, want, h.first)
		}
		asked := fast.asked[0]
		if len(asked.Tools) > 0 || !asked.Hurry || asked.MaxTokens != 80 || len(asked.Messages) != 3 || asked.Messages[2].Role != llm.RoleSystem {
			t.Errorf("the opener was asked for with %+v", asked)
		}
		asked = strong.asked[0]
		if n := len(asked.Messages); n != 4 || asked.Messages[2].Role != llm.RoleAssistant || asked.Messages[2].Content != "Ah, the bridge." ||
			asked.Messages[3].Role != llm.RoleSystem || len(asked.Tools) != 1 || asked.Hurry {
			t.Errorf("the strong model was asked with %+v", asked)
		}
		if len(req.Messages) != 2 || fast.open+strong.open > 0 {
			t.Errorf("the request has %d messages; %d answers are open", len(req.Messages), fast.open+strong.open)
		}
	})
}

func TestOptionsReachTheModels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		warm, cool := 0.9, 0.2
		fast, strong := says(text(300*ms, "Well.")), says(text(0, "Yes."))
		e := engine.NewSentenceCascade(fast, strong, &engine.SentenceCascadeOptions{
			Opener:       engine.CascadedOptions{Temperature: &warm, MaxTokens: 30},
			Continuation: engine.CascadedOptions{Temperature: &cool, MaxTokens: 700}, Patience: 200 * ms,
		})
		for range e.Answer(t.Context(), request(t)) {
		}
		if o, c := fast.asked[0], strong.asked[0]; *o.Temperature != warm || o.MaxTokens != 30 || *c.Temperature != cool || c.MaxTokens != 700 {
			t.Errorf("asked with %+v and %+v", o, c)
		}
		if strong.at[0] != 200*ms {
			t.Errorf("the strong model was asked after %v, want the patience", strong.at[0])
		}
	})
}

func TestShortAnswers(t *testing.T) {
	for _, row := range []struct {
		name, says string
		asks       bool // for more than small talk
		want       string
		short      bool
	}{
		{"done", "[DONE] Well met.", false, "Well met.", true},
		{"more", "[MORE] Well met.", false, "Well met.", false},
		{"no_mark", "Well met, stranger.", false, "Well met, stranger.", false},
		{"loose_brackets", "**DONE**: Well met.", false, "Well met.", true},
		{"round_brackets", "(done) Well met.", false, "Well met.", true},
		{"colon", "DONE: Aye.", false, "Aye.", true},
		{"on_a_line_of_its_own", "[DONE]\nWell met.", false, "Well met.", true},
		{"a_word_of_the_sentence", "More ale, friend?", false, "More ale, friend?", false},
		{"brief", "Aye.", false, "Aye.", false},
		{"name_in_front", "[DONE] Mira: Well met.", false, "Well met.", true},
		{"asked_for_more", "[DONE] Well met.", true, "Well met.", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var whole, letters []piece
				whole = append(whole, text(0, row.says))
				for _, r := range row.says {
					letters = append(letters, text(0, string(r)))
				}
				for _, pieces := range [][]piece{whole, letters} {
					strong := says(text(0, "The ferry runs."))
					req := request(t)
					req.Plain = !row.asks
					h := play(t.Context(), says(pieces...), strong, req)
					want := "token | " + row.want
					if !row.short {
						want += " | The ferry runs."
					}
					if h.err != nil || h.String() != want {
						t.Errorf("heard %v, error %v; want %s", h, h.err, want)
					}
				}
			})
		})
	}
}

func TestStrongModelAnswersAlone(t *testing.T) {
	for _, row := range []struct {
		name   string
		opener []piece
		after  time.Duration // when the strong model is called
	}{
		{"fails", []piece{{after: 50 * ms, err: errBroken}}, 50 * ms},
		{"fails_in_the_middle", []piece{text(50*ms, "[MORE] Ah, the"), {err: errBroken}}, 50 * ms},
		{"says_nothing", []piece{text(50*ms, "")}, 50 * ms},
		{"says_a_mark", []piece{text(50*ms, "[DONE]")}, 50 * ms},
		{"says_no_word", []piece{text(50*ms, "[MORE] …")}, 50 * ms},
		{"does_not_begin", []piece{{hang: true}}, time.Second},
		{"is_slow", []piece{text(200*ms, "[MORE] Ah, "), text(900*ms, "the bridge. ")}, time.Second},
		{"is_cut_off", []piece{text(50*ms, "[MORE] I would say that the"), {Chunk: llm.Chunk{FinishReason: "length"}}}, 50 * ms},
		{"does_not_end", []piece{text(50*ms, strings.Repeat("and ", 200))}, 50 * ms},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fast, strong := says(row.opener...), says(text(900*ms, "It fell. "))
				req := request(t)
				h := play(t.Context(), fast, strong, req)
				if got := strings.TrimPrefix(h.String(), "token | "); h.err != nil || got != "It fell." {
					t.Errorf("heard %v, error %v", h, h.err)
				}
				if strong.at[0] != row.after || len(strong.asked[0].Messages) != 2 {
					t.Errorf("the strong model was asked after %v with %v, want after %v with the prompt", strong.at[0], strong.asked[0].Messages, row.after)
				}
				if strings.Count(h.String(), "token") != 1 || fast.open > 0 {
					t.Errorf("heard %v; %d openers are open", h, fast.open)
				}
			})
		})
	}
}

func TestAnswerIsClosedIfTheStrongModelFails(t *testing.T) {
	broken := piece{after: 900 * ms, err: errBroken}
	for _, row := range []struct {
		name   string
		strong []piece
		lines  []string
		closes []piece // the fast model's second sentence
		want   string
	}{
		{"stock_phrase", []piece{broken}, []string{"The river has not told me."}, nil, "notice | The river has not told me."},
		{"sentence", []piece{broken}, nil, []piece{text(100*ms, "But I must tend the boat now.")}, "notice | But I must tend the boat now."},
		{"neither", []piece{broken}, nil, []piece{{err: errBroken}}, "notice"},
		{"in_the_middle", []piece{text(0, "It fell. It was"), broken}, []string{"The river has not told me."}, nil, "It fell. | notice | The river has not told me."},
		{"silent", []piece{{hang: true}}, []string{"The river has not told me."}, nil, "notice | The river has not told me."},
		{"nothing_to_add", []piece{text(0, "")}, nil, nil, ""},
		{"nothing_new_to_add", []piece{text(0, "Ah, the bridge.")}, nil, nil, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fast := &sentenceModel{}
				fast.answer = func(llm.Request) []piece {
					if len(fast.asked) > 1 {
						return row.closes
					}
					return []piece{text(0, "[MORE] Ah, the bridge.")}
				}
				req := request(t)
				req.Persona.Lines = map[string][]string{"unknown": row.lines}
				h := play(t.Context(), fast, says(row.strong...), req)
				want := strings.TrimSuffix("token | Ah, the bridge. | "+row.want, " | ")
				if h.err != nil || h.String() != want {
					t.Errorf("heard %v, error %v; want %s", h, h.err, want)
				}
				for _, n := range h.notices {
					if n.Level != "warning" || !strings.HasPrefix(n.Text, "Mira could not go on after the first sentence: ") {
						t.Errorf("notice = %+v", n)
					}
				}
			})
		})
	}
}

func TestFailureWithoutAnOpenerIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := play(t.Context(), says(piece{err: errors.New("no opener")}), says(piece{err: errBroken}), request(t))
		if !errors.Is(h.err, errBroken) || len(h.all) > 0 {
			t.Errorf("heard %v, error %v; want the strong model's error", h, h.err)
		}
	})
}

func TestEndlessAnswerIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := play(t.Context(), says(text(0, "[MORE] Ah.")), says(text(0, strings.Repeat("And so on. ", 2000))), request(t))
		if !errors.Is(h.err, engine.ErrTooLong) || len(h.notices) > 0 {
			t.Errorf("error = %v, notices %v; want it to be too long", h.err, h.notices)
		}
	})
}

func TestRepeatedOpenerIsNotSpoken(t *testing.T) {
	for _, row := range []struct{ name, opener, strong, want string }{
		{"fully", "Ah, the old bridge.", "Ah, the old bridge. It fell.", "It fell."},
		{"other_signs", "Ah, the old bridge.", "Ah — the OLD bridge! It fell.", "It fell."},
		{"nearly", "Ah, so you ask about the old bridge.", "Ah, so you asked about the old bridge. It fell.", "It fell."},
		{"as_a_beginning", "Ah, the old bridge.", "Ah, the old bridge, it fell.", "It fell."},
		{"as_a_beginning_nearly", "Ah, so you ask about the old bridge.", "Ah, so you ask about that old bridge: it fell.", "It fell."},
		{"as_part_of_what_is_said", "I see.", "I see three ships.", "I see three ships."},
		{"one_word", "Aye.", "Aye, it fell.", "It fell."},
		{"not_at_all", "Ah, the old bridge.", "It fell. Ah, the old bridge.", "It fell. | Ah, the old bridge."},
		{"another_first_word", "Ah, the bridge.", "Oh, the bridge. It fell.", "Oh, the bridge. | It fell."},
		{"other_scripts", "古い橋ですね。", "古い橋ですね。 落ちました。", "落ちました。"},
		{"umlaut", "Tja, die Brücke …", "Tja, die Brücke, über die redet keiner.", "Über die redet keiner."},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := play(t.Context(), says(text(0, "[MORE] "+row.opener)), says(text(0, row.strong)), request(t))
				if want := "token | " + row.opener + " | " + row.want; h.String() != want {
					t.Errorf("heard %v, error %v; want %s", h, h.err, want)
				}
			})
		})
	}
}

// rolls requests a roll and then says the pieces.
func rolls(said ...piece) *sentenceModel {
	return &sentenceModel{answer: func(req llm.Request) []piece {
		if req.Messages[len(req.Messages)-1].Role == llm.RoleTool {
			return said
		}
		return []piece{{after: 900 * ms, Chunk: llm.Chunk{ToolCalls: []llm.ToolCall{{ID: "1", Name: "roll", Arguments: "{}"}}}}}
	}}
}

func TestToolsRunAfterTheOpener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		strong := rolls(text(100*ms, "Let us see what the dice say. Nine."))
		h := play(t.Context(), says(text(200*ms, "[MORE] Let us see what the dice say.")), strong, request(t))
		if want := "token | Let us see what the dice say. | called | finished | round | Nine."; h.String() != want || h.err != nil {
			t.Errorf("heard %v, error %v; want %s", h, h.err, want)
		}
		if got := strong.asked[1].Messages; len(got) != 6 || got[2].Role != llm.RoleAssistant || got[5].Role != llm.RoleTool {
			t.Errorf("after the roll the strong model was asked with %+v", got)
		}
	})
}

func TestGuessRollsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		meant := make(chan struct{})
		req := request(t)
		req.Confirmed = meant
		time.AfterFunc(5*time.Second, func() { close(meant) })
		h := play(t.Context(), says(text(200*ms, "[MORE] Well, then.")), rolls(text(0, "Nine.")), req)
		if h.String() != "token | Well, then. | called | finished | round | Nine." || h.at[1] != 200*ms || h.at[2] != 5*time.Second {
			t.Errorf("heard %v at %v; want no roll before 5 s", h, h.at)
		}
	})
}

func TestCancellingEndsTheModels(t *testing.T) {
	errBarged := errors.New("barged in")
	for _, after := range []time.Duration{100 * ms, 500 * ms, 1150 * ms} { // during the opener, the strong model, the tool
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			time.AfterFunc(after, func() { cancel(errBarged) })
			fast, strong := says(text(200*ms, "[MORE] Well, then.")), rolls(text(0, "Nine."))
			h := play(ctx, fast, strong, request(t))
			if !errors.Is(h.err, errBarged) || fast.open+strong.open > 0 || len(h.notices) > 0 {
				t.Errorf("cancelled after %v: heard %v, error %v, %d answers open", after, h, h.err, fast.open+strong.open)
			}
		})
	}
}

func TestConsumerMayLeaveAtAnyEvent(t *testing.T) {
	for leave := range 6 {
		synctest.Test(t, func(t *testing.T) {
			fast, strong := says(text(200*ms, "[MORE] Well, then.")), rolls(text(0, "Nine."))
			n := 0
			for range engine.NewSentenceCascade(fast, strong, nil).Answer(t.Context(), request(t)) {
				if n++; n > leave {
					break
				}
			}
			if n != leave+1 || fast.open+strong.open > 0 {
				t.Errorf("left at event %d after %d; %d answers open", leave, n, fast.open+strong.open)
			}
		})
	}
}
