package gemini_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/fakegemini"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// TestAllAtOnce runs turns, interruptions, results, tool changes and Close concurrently,
// many times. In any order, the service refuses nothing, and nothing is left running.
func TestAllAtOnce(t *testing.T) {
	for i := range 60 {
		service := fakegemini.Start(t, fakegemini.Options{Turns: manyCalls(40)})
		session, err := provider(t, service, []string{"", older}[i%2]).Connect(t.Context(), rolls)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var tasks sync.WaitGroup
		session.OnToolCall(func(c llm.ToolCall) {
			tasks.Go(func() {
				expect(t, session.SendToolResult(ctx, s2s.ToolResult{ID: c.ID, Name: c.Name, Text: "17"}))
			})
		})
		tasks.Go(func() { receive(t, ctx, session) })
		tasks.Go(func() {
			for range 10 {
				if err := session.SetTools(ctx, rolls.Tools); !errors.Is(err, s2s.ErrUnsupported) {
					expect(t, err)
				}
				expect(t, session.Inject(ctx, llm.Message{Role: llm.RoleUser, Content: "Hm."}))
			}
		})
		for turn := range 10 {
			expect(t, session.BeginTurn(ctx))
			expect(t, session.SendAudio(ctx, second[:320]))
			expect(t, session.Respond(ctx, s2s.Response{Context: "It is night."}))
			if turn%2 == i%2 {
				expect(t, session.Interrupt(ctx, 0))
			}
		}
		if i%3 == 0 {
			cancel()
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
		tasks.Wait()
		cancel()
		service.AwaitIdle()
		if refused := service.Refusals(); len(refused) > 0 {
			t.Fatalf("the service refused: %q", refused)
		}
	}
}

// manyCalls returns n answers with two calls each.
func manyCalls(n int) []fakegemini.Turn {
	turns := make([]fakegemini.Turn, n)
	for i := range turns {
		turns[i] = fakegemini.Turn{Steps: []fakegemini.Step{
			fakegemini.Speak{Text: "Wait."},
			fakegemini.CallTools{Calls: []fakegemini.Call{{ID: fmt.Sprint("a", i), Name: "roll"}, {ID: fmt.Sprint("b", i), Name: "roll"}}},
			fakegemini.Speak{Text: "There."},
		}, Playing: i%2 == 0}
	}
	return turns
}

// expect accepts success, and the end of the session or its context.
func expect(t *testing.T, err error) {
	t.Helper()
	if err != nil && !errors.Is(err, s2s.ErrClosed) && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// receive reads events until there are no more.
func receive(t *testing.T, ctx context.Context, session s2s.Session) {
	for {
		if _, err := session.Recv(ctx); err != nil {
			expect(t, err)
			return
		}
	}
}
