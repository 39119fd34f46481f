package providers

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// backedBy returns a model with its fallbacks.
func backedBy(first config.Provider, rest ...config.Provider) config.ProviderChain {
	return config.ProviderChain{Provider: first, Fallback: rest}
}

func TestModel(t *testing.T) {
	local := config.Provider{Name: OpenAI, BaseURL: "http://127.0.0.1:1/v1", Model: "qwen3"}
	service := config.Provider{Name: OpenAI, APIKey: "k"}
	auto := config.Provider{Name: config.ProviderAuto}
	stock := config.Provider{Name: Offline}
	for _, tt := range []struct {
		name     string
		in       config.ProviderChain
		want     string // empty means an error
		scripted bool
		hurries  bool
	}{
		{"alone", backedBy(service), "openai gpt-4o-mini", false, false},
		{"auto", backedBy(auto), "offline", true, false},
		{"auto_with_a_key", backedBy(config.Provider{Name: config.ProviderAuto, APIKey: "k"}), "openai gpt-4o-mini", false, false},
		{"two", backedBy(service, local), "openai gpt-4o-mini, then openai qwen3", false, true},
		{"stock_phrases_last", backedBy(service, local, stock), "openai gpt-4o-mini, then openai qwen3, then offline", false, true},
		{"nothing_follows_stock_phrases", backedBy(service, stock, local), "openai gpt-4o-mini, then offline", false, true},
		{"stock_phrases_never_fail", backedBy(stock, local), "offline", true, false},
		{"auto_leaves_it_to_the_fallback", backedBy(auto, local), "openai qwen3", false, false},
		{"auto_leaves_it_to_stock_phrases", backedBy(auto, stock), "offline", true, false},
		{"auto_with_a_key_has_fallbacks", backedBy(config.Provider{Name: config.ProviderAuto, APIKey: "k"}, local), "openai gpt-4o-mini, then openai qwen3", false, true},
		{"bad_address", backedBy(config.Provider{Name: OpenAI, BaseURL: "ftp://x"}), "", false, false},
		{"bad_address_of_a_fallback", backedBy(service, config.Provider{Name: OpenAI, BaseURL: "ftp://x"}), "", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, scripted, err := Model(nil, tt.in, Reports{})
			if tt.want == "" {
				if !errors.Is(err, llm.ErrRejected) {
					t.Fatalf("err = %v, want ErrRejected", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			c, isChain := m.(*llm.Chain)
			if hurries := isChain && c.CanHurry(); m.Name() != tt.want || scripted != tt.scripted || hurries != tt.hurries {
				t.Errorf("%q, scripted %v, hurries %v; want %q, %v, %v", m.Name(), scripted, hurries, tt.want, tt.scripted, tt.hurries)
			}
		})
	}
}

// asked is a model that records its requests.
type asked struct{ requests []llm.Request }

func (*asked) Name() string { return "asked" }

func (p *asked) Stream(_ context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	p.requests = append(p.requests, req)
	return func(func(llm.Chunk, error) bool) {}
}

func TestTunedFillsInWhatIsOpen(t *testing.T) {
	m, one := &asked{}, 1.0
	for _, p := range []config.Provider{
		{}, {Options: config.ProviderOptions{"temperature": 0.5, "max_tokens": int64(90)}},
	} {
		tuned := tunedBy(m, p)
		tuned.Stream(t.Context(), llm.Request{})
		tuned.Stream(t.Context(), llm.Request{Temperature: &one, MaxTokens: 7})
	}
	for i, want := range []struct {
		temperature float64 // -1 means not set
		maxTokens   int
	}{{-1, 0}, {1, 7}, {0.5, 90}, {1, 7}} {
		got := -1.0
		if r := m.requests[i]; r.Temperature != nil {
			got = *r.Temperature
		}
		if got != want.temperature || m.requests[i].MaxTokens != want.maxTokens {
			t.Errorf("request %d: %v, %d tokens; want %v, %d", i, got, m.requests[i].MaxTokens, want.temperature, want.maxTokens)
		}
	}
}

func TestLinksOfTheSameNameAreToldApart(t *testing.T) {
	var links []llm.Link
	for _, want := range []string{"asked", "asked (2)", "asked (3)"} {
		got := linkName(links, "asked")
		if got != want {
			t.Errorf("the name is %q, want %q", got, want)
		}
		links = append(links, llm.Link{Name: got, Provider: &asked{}})
	}
}

// TestAdviceSaysWhoseKey uses models whose keys are refused: the advice must name the key
// to check.
func TestAdviceSaysWhoseKey(t *testing.T) {
	refuses := func() config.Provider {
		s := fakeopenai.Start(t, fakeopenai.Always(fakeopenai.Fail(http.StatusUnauthorized, "who are you?")), nil)
		return config.Provider{Name: OpenAI, APIKey: "k", BaseURL: s.URL(), Model: "m"}
	}
	for _, tt := range []struct {
		name     string
		in       config.ProviderChain
		advice   string
		switches []string // the advice for each model that was given up
	}{
		{"alone", backedBy(refuses()), "check providers.llm.api_key", nil},
		{"all", backedBy(refuses(), refuses(), refuses()), "check providers.llm.fallback[1].api_key", nil},
		{"the first two", backedBy(refuses(), refuses(), config.Provider{Name: Offline}), "", []string{"check providers.llm.fallback[0].api_key"}},
		{"a fallback in place of auto", backedBy(config.Provider{Name: config.ProviderAuto}, refuses()), "check providers.llm.fallback[0].api_key", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var switches []string
			m, _, err := Model(nil, tt.in, Reports{Switched: func(s llm.Switch) { switches = append(switches, s.Reason.Error()) }})
			if err != nil {
				t.Fatal(err)
			}
			var failed error
			for _, err := range m.Stream(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "hello"}}}) {
				failed = err
			}
			if (tt.advice == "") != (failed == nil) || failed != nil && !strings.HasSuffix(failed.Error(), tt.advice) {
				t.Errorf("err = %v, want one that ends in %q", failed, tt.advice)
			}
			if !slices.EqualFunc(switches, tt.switches, strings.HasSuffix) {
				t.Errorf("told of %q, want %q", switches, tt.switches)
			}
		})
	}
}

func TestDescribeSwitch(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   llm.Switch
		want string
	}{
		{"given_up", llm.Switch{From: "a", To: "b", Reason: errors.New("a: down")}, "b answers now: a: down"},
		{"back", llm.Switch{From: "b", To: "a"}, "a answers again"},
		{"nobody", llm.Switch{From: "a", To: "a", Reason: errors.New("a: down")}, "nobody answers for now: a: down; what waits is kept for a moment and tried again"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := DescribeSwitch(tt.in, Answers); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
