// Weather plays one line with an NPC of Glyphoxa's own cast, with three parts of this program: a tool, a language
// model and a store.
package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/glyphoxa"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

type place struct {
	Location string `json:"location" jsonschema:"Name of the place, such as Thornhollow."`
}

type weather struct {
	Conditions string `json:"conditions" jsonschema:"What the sky does."`
}

func getWeather(_ context.Context, p place) (weather, error) {
	if strings.TrimSpace(p.Location) == "" {
		return weather{}, fmt.Errorf("%w: location is blank", glyphoxa.ErrInvalidArguments)
	}
	return weather{"rain over " + p.Location + ", and thunder in the hills"}, nil
}

// model is a language model that always looks at the weather first, and then says what it saw.
type model struct{}

func (model) Name() string { return "weather model" }

func (model) Stream(_ context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		last := r.Messages[len(r.Messages)-1]
		for i := len(r.Messages) - 1; i >= 0; i-- {
			if m := r.Messages[i]; m.Role == llm.RoleTool {
				last = m
				break
			}
		}
		if last.Role != llm.RoleTool {
			call := llm.ToolCall{ID: "1", Name: "get_weather", Arguments: `{"location":"Thornhollow"}`}
			yield(llm.Chunk{ToolCalls: []llm.ToolCall{call}, FinishReason: "tool_calls"}, nil)
			return
		}
		sky := strings.TrimSuffix(strings.TrimPrefix(last.Content, `{"conditions":"`), `"}`)
		yield(llm.Chunk{Text: "I see " + sky + ".", FinishReason: "stop"}, nil)
	}
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "weather")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	game, err := glyphoxa.Open(ctx, glyphoxa.Options{
		Tools: []glyphoxa.Tool{glyphoxa.NewTool("get_weather", "Get the weather at a place now.", 10*time.Millisecond, 50*time.Millisecond, getWeather)},
		Cast:  map[string][]string{"Bartok": {"get_weather"}},
		Model: model{},
		OpenStore: func(ctx context.Context, o glyphoxa.StoreOptions) (memory.Store, error) {
			return sqlite.Open(ctx, filepath.Join(dir, "memory.db"), &sqlite.Options{Embedder: o.Embedder, Groups: o.Groups, Logger: o.Logger})
		},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, game.Close()) }()
	session, err := game.Start(ctx, &glyphoxa.SessionOptions{NPC: "Bartok"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	answer, err := session.Ask(ctx, "Ben", "Bartok, what is the weather in Thornhollow?")
	if err != nil {
		return err
	}
	fmt.Printf("%s: %s\n", answer.NPC, answer.Text)
	return nil
}
