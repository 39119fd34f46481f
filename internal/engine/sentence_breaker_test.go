package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

func TestOpenerThatKeepsFailingIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fast, strong := says(piece{hang: true}), says(text(100*ms, "It fell."))
		e := engine.NewSentenceCascade(fast, strong, nil)
		var notices []string
		answer := func(ctx context.Context) (took time.Duration, err error) {
			start := time.Now()
			for ev, e := range e.Answer(ctx, request(t)) {
				if n, ok := ev.(engine.Notice); ok {
					notices = append(notices, n.Text)
				}
				err = e
			}
			return time.Since(start), err
		}
		cancelled, cancel := context.WithTimeout(t.Context(), 100*ms) // a cancelled call does not count as the model's failure
		defer cancel()
		if _, err := answer(cancelled); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the cancelled turn ended with %v", err)
		}
		for i, want := range []time.Duration{1100 * ms, 1100 * ms, 1100 * ms, 100 * ms} {
			if took, err := answer(t.Context()); took != want || err != nil {
				t.Errorf("turn %d took %v, error %v; want %v", i, took, err, want)
			}
		}
		if len(notices) != 1 || !strings.Contains(notices[0], "without a quick first sentence") || !strings.Contains(notices[0], "took too long") {
			t.Errorf("notices = %q, want one", notices)
		}
		time.Sleep(10 * time.Second)
		fast.answer = func(llm.Request) []piece { return []piece{text(200*ms, "[MORE] Ah.")} }
		if took, err := answer(t.Context()); took != 300*ms || err != nil {
			t.Errorf("after a pause a turn took %v, error %v", took, err)
		}
		if len(fast.asked) != 5 || len(notices) != 1 {
			t.Errorf("the fast model was asked %d times, notices %q", len(fast.asked), notices)
		}
	})
}
