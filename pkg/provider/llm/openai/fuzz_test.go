package openai

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm/openai/dialect"
)

// FuzzStream reads arbitrary streams. Whatever they hold, all text that a plain client would have delivered
// before the first event that it cannot read is delivered too.
func FuzzStream(f *testing.F) {
	event := func(content string) string {
		return `data: {"choices":[{"index":0,"delta":{"content":"` + content + `"}}]}` + "\n\n"
	}
	for _, s := range []string{
		event("The bridge ") + event("is out.") + `data: {"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":3.5}}` + "\n\ndata: [DONE]\n\n",
		"\ufeff: hi\r\revent: message\rdata: {\"choices\":[{\"delta\":{\"content\":\"Hail\"}}]}\r\r",
		event("Hail") + event("Hail to") + event("Hail to thee"),
		event("ha") + event("ha") + `data: {"choices":[{"index":"0","message":{"content":"haha"},"finish_reason":2}]}` + "\n\n",
		"data: {\n\"choices\":[{\"delta\":{\"content\":[{\"text\":\"Hail\"}]}}]\n}\n\n" + event("x"),
		`{"choices":[{"message":{"content":"Hail","tool_calls":{"id":3,"function":{"name":"roll","arguments":{"n":NaN}}}}}]}`,
		event("Hail") + "event: error\ndata: {\"message\":\"no\"}\n\n",
		event(`x\ud83d`) + event(`\ude00y`),
		"<html><title>Login</title></html>",
	} {
		f.Add([]byte(s))
	}
	p, err := New(Options{BaseURL: "http://127.0.0.1:1/v1", Model: "gpt-4m"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		var got strings.Builder
		ended := false
		r := p.newReader(&exchange{events: newEvents(bytes.NewReader(stream))}, p.query(llm.Request{}, &terms{}), func(c llm.Chunk, err error) bool {
			if ended {
				t.Error("a chunk after the last one")
			}
			got.WriteString(c.Text)
			ended = c.FinishReason != ""
			return true
		}, func() {})
		out := r.run()
		if out.err == nil && !out.empty && !ended {
			t.Error("no error, and no last chunk")
		}
		want := plainText(stream)
		if strings.ContainsAny(strings.Join(want, ""), "<\ufffd") || bytes.Contains(stream, []byte("extra_content")) {
			return // reasoning, or halves of characters
		}
		markup := dialect.New(nil, dialect.NewHabits("gpt-4m", ""))
		if all := strings.Join(want, ""); markup.Feed(all)+markup.End(true) != all {
			return // markup of a dialect
		}
		for _, piece := range want {
			if !strings.Contains(got.String(), piece) && strings.TrimSpace(piece) != "" {
				t.Fatalf("said %q, which lacks %q", got.String(), piece)
			}
		}
	})
}

// plainText returns the pieces of text that a client delivers that reads only what the protocol describes, up to
// the first line that it cannot read.
func plainText(stream []byte) (pieces []string) {
	for line := range bytes.Lines(stream) {
		line = bytes.TrimRight(line, "\n")
		if len(line) == 0 || line[0] == ':' {
			continue
		}
		data, ok := bytes.CutPrefix(line, []byte("data: "))
		var e struct {
			Choices []struct {
				Index        int                       `json:"index"`
				Delta        struct{ Content *string } `json:"delta"`
				FinishReason *string                   `json:"finish_reason"`
			} `json:"choices"`
			Error any `json:"error"`
		}
		if !ok || json.Unmarshal(data, &e) != nil || e.Error != nil || len(e.Choices) != 1 || e.Choices[0].Index != 0 {
			return pieces
		}
		if c := e.Choices[0].Delta.Content; c != nil {
			pieces = append(pieces, *c)
		}
		if e.Choices[0].FinishReason != nil {
			return pieces
		}
	}
	return pieces
}
