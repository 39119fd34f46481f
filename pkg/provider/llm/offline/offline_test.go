package offline_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm/offline"
)

var _ llm.Provider = (*offline.Provider)(nil)

func Example() {
	req := llm.Request{
		Messages: []llm.Message{{Role: llm.RoleUser, Name: "Mira", Content: "Bartok, roll 2d6+3!"}},
		Tools:    []llm.ToolDefinition{{Name: "roll"}},
		Persona:  llm.Persona{Name: "Bartok", Lines: map[string][]string{"roll": {"Here they go! {answer}"}}},
	}
	for chunk := range offline.New().Stream(context.Background(), req) {
		for _, call := range chunk.ToolCalls {
			fmt.Println(call.Name, call.Arguments)
			req.Messages = append(req.Messages,
				llm.Message{Role: llm.RoleAssistant, ToolCalls: chunk.ToolCalls},
				llm.Message{Role: llm.RoleTool, Name: call.Name, ToolCallID: call.ID, Content: `{"expression":"2d6+3","rolls":[4,2],"total":9}`})
		}
	}
	for chunk := range offline.New().Stream(context.Background(), req) {
		fmt.Print(chunk.Text)
	}
	// Output:
	// roll {"expression":"2d6+3"}
	// Here they go! 2d6+3: 4 and 2, plus 3, makes 9.
}

func TestSmalltalk(t *testing.T) {
	own := map[string][]string{
		"greeting": {"Come in!"}, "farewell": {"Mind the step!"}, "smalltalk": {"Fog's thick."},
		"unknown": {"Beats me."}, "thanks": {"Cheers."},
	}
	tests := []struct{ name, text, own, stock string }{
		{"greeting", "Hello Bartok!", "Come in!", "Good to see you."},
		{"nothing said", "", "Come in!", "Good to see you."},
		{"farewell", "Farewell, Bartok.", "Mind the step!", "Until next time."},
		{"thanks", "Thanks a lot!", "Cheers.", "Gladly."},
		{"who are you", "And who are you?", "I am Bartok the Barkeep.", "They call me Bartok the Barkeep."},
		{"mood", "How are you?", "Fog's thick.", "Go on, I am listening."},
		{"question", "Would you paint the fence?", "Beats me.", "That I cannot tell you."},
		{"statement", "The soup is cold.", "Fog's thick.", "I see."},
		{"german greeting", "Guten Abend, Bartok!", "Come in!", "Schön, dich zu sehen."},
		{"german farewell", "Tschüss, bis bald!", "Mind the step!", "Gute Reise."},
		{"german thanks", "Danke dir!", "Cheers.", "Gern geschehen."},
		{"german question", "Warum ist der Himmel blau?", "Beats me.", "Das kann ich dir nicht sagen."},
		{"german statement", "Die Suppe ist kalt.", "Fog's thick.", "Ist das so?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req := request(tt.text, allTools()...)
			req.Persona.Lines = own
			if a := ask(t, req); a.text != tt.own && !sameOccasion(a.text, tt.own) {
				t.Errorf("with own lines: said %q, want %q", a.text, tt.own)
			}
			if a := ask(t, request(tt.text, allTools()...)); !sameOccasion(a.text, tt.stock) {
				t.Errorf("with stock lines: said %q, want one like %q", a.text, tt.stock)
			}
		})
	}
}

// sameOccasion reports whether both are stock lines for the same occasion.
func sameOccasion(a, b string) bool {
	for _, file := range []string{"words/stock.en.txt", "words/stock.de.txt"} {
		data, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		named := strings.ReplaceAll(string(data), "{name}", "Bartok the Barkeep")
		for section := range strings.SplitSeq(named, "[") {
			lines := strings.Split(section, "\n")
			if slices.Contains(lines, a) && slices.Contains(lines, b) {
				return true
			}
		}
	}
	return false
}

func TestLinesVaryAndRepeatExactly(t *testing.T) {
	play := func() []string {
		var out []string
		req := request("The soup is cold.")
		for range 6 {
			a := ask(t, req)
			out = append(out, a.text)
			req.Messages = append(req.Messages, llm.Message{Role: llm.RoleAssistant, Content: a.text},
				llm.Message{Role: llm.RoleUser, Content: "The soup is cold."})
		}
		return out
	}
	first := play()
	if diff := cmp.Diff(first, play()); diff != "" {
		t.Errorf("a second run differs:\n%s", diff)
	}
	for i := 1; i < len(first); i++ {
		if first[i] == first[i-1] {
			t.Errorf("line %d repeats the one before: %q", i, first[i])
		}
	}
}

func TestPersonaWithoutUsableLines(t *testing.T) {
	req := request("The soup is cold.")
	req.Persona.Lines = map[string][]string{"smalltalk": {}, "unknown": {" ", "\u200b"}}
	if a := ask(t, req); !sameOccasion(a.text, "I see.") {
		t.Errorf("said %q, want a stock line", a.text)
	}
	if a := ask(t, llm.Request{}); a.text == "" {
		t.Error("an empty request leads to silence")
	}
}

func TestSpeechComesInPieces(t *testing.T) {
	a := ask(t, done(request("read file a.txt"), "read_file", `{"content":"Größe und Würde, hieß es, wärmen keinen Öfen; Äpfel aber schon, wenn man sie brät."}`))
	if a.chunks < 5 || !utf8.ValidString(a.text) || a.finish != "stop" {
		t.Errorf("%d chunks, finish %q, text %q, want at least 5 and valid text", a.chunks, a.finish, a.text)
	}
	long := ask(t, done(request("use ping"), "ping", strings.Repeat("ü", 100)))
	if long.text != strings.Repeat("ü", 100)+"." {
		t.Errorf("a word without spaces came out as %q", long.text)
	}
}

func TestMaxTokensBoundsSpeech(t *testing.T) {
	req := done(request("use ping"), "ping", "one two three four")
	req.MaxTokens = 2
	if a := ask(t, req); a.text != "one two" || a.finish != "length" {
		t.Errorf("said %q, finish %q, want two words and length", a.text, a.finish)
	}
}

func TestCancelledContextEndsTheStream(t *testing.T) {
	cause := errors.New("barged in")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var text string
	var got error
	for c, err := range offline.New().Stream(ctx, done(request("use ping"), "ping", strings.Repeat("word ", 50))) {
		text, got = text+c.Text, err
		cancel(cause)
	}
	if !errors.Is(got, cause) || len(text) > 40 {
		t.Errorf("err = %v after %q, want the cause after one piece", got, text)
	}
	for _, err := range offline.New().Stream(ctx, request("hello")) {
		if !errors.Is(err, cause) {
			t.Errorf("err = %v, want the cause", err)
		}
	}
}

func TestBreakEndsTheStream(t *testing.T) {
	n := 0
	for range offline.New().Stream(t.Context(), done(request("use ping"), "ping", strings.Repeat("word ", 50))) {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d chunks after a break, want 1", n)
	}
}

func TestCallIDsAreUniqueInAConversation(t *testing.T) {
	seen := map[string]bool{}
	req := request("roll 2d6 and 1d8", allTools()...)
	for range 3 {
		a := ask(t, req)
		pairs := []string{}
		for _, c := range a.calls {
			if seen[c.ID] || c.ID == "" {
				t.Errorf("id %q is taken or empty", c.ID)
			}
			seen[c.ID] = true
			pairs = append(pairs, c.Name, `{"total":1}`)
		}
		req = done(req, pairs...)
		req.Messages = append(req.Messages, llm.Message{Role: llm.RoleAssistant, Content: "1"}, llm.Message{Role: llm.RoleUser, Content: "roll 2d6 and 1d8"})
	}
	if len(seen) != 6 {
		t.Errorf("%d calls, want 6", len(seen))
	}
}

// FuzzUtterance checks that for any line the NPC speaks or calls offered tools with a
// JSON object, deterministically, and that it speaks if there are no tools.
func FuzzUtterance(f *testing.F) {
	for _, u := range utterances {
		f.Add(u.text)
	}
	f.Add("use echo with message \xff\x00 and { and use ping")
	f.Add("Bartok, Bartok Bartok")
	offered := map[string]bool{}
	for _, d := range allTools() {
		offered[d.Name] = true
	}
	f.Fuzz(func(t *testing.T, text string) {
		a := ask(t, request(text, allTools()...))
		if (a.text == "") == (len(a.calls) == 0) {
			t.Fatalf("%q: speech %q and %d calls, want one of them", text, a.text, len(a.calls))
		}
		for _, c := range a.calls {
			var object map[string]any
			if !offered[c.Name] || json.Unmarshal([]byte(c.Arguments), &object) != nil || object == nil {
				t.Fatalf("%q: call %s %s", text, c.Name, c.Arguments)
			}
		}
		if b := ask(t, request(text, allTools()...)); a.text != b.text || !slices.Equal(a.calls, b.calls) {
			t.Fatalf("%q: the second run differs", text)
		}
		if b := ask(t, request(text)); b.text == "" || len(b.calls) > 0 {
			t.Fatalf("%q: without tools: %q and %d calls", text, b.text, len(b.calls))
		}
	})
}

// FuzzResult checks that the NPC answers after any tool result.
func FuzzResult(f *testing.F) {
	for _, s := range []string{"", "pong", blindedHit, blindedRule, elara, `{"error":{}}`, `{"isError":true}`, `[[[1]]]`, `{"rolls":[1],"total":1}`, `{"total":1}`, `null`, `{"relations":[{"type":"x","to":"y"}]}`} {
		for i := range allTools() {
			f.Add(i, s)
		}
	}
	f.Fuzz(func(t *testing.T, which int, content string) {
		all := allTools()
		name := all[((which%len(all))+len(all))%len(all)].Name
		a := ask(t, done(request("use ping"), name, content))
		if strings.TrimSpace(a.text) == "" || !utf8.ValidString(a.text) || utf8.RuneCountInString(a.text) > 1500 {
			t.Fatalf("%s returned %q: said %q", name, content, a.text)
		}
	})
}

func BenchmarkStream(b *testing.B) {
	requests := map[string]llm.Request{
		"call":   request("Bartok, what does the blinded condition do?", allTools()...),
		"answer": done(request("Bartok, what does the blinded condition do?"), "search_rules", blindedHit),
		"chat":   request("The soup is cold, and it was cold yesterday.", allTools()...),
	}
	for name, req := range requests {
		b.Run(name, func(b *testing.B) {
			p := offline.New()
			b.ReportAllocs()
			for b.Loop() {
				for _, err := range p.Stream(b.Context(), req) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
