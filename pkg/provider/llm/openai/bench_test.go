package openai_test

import (
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm/openai"
)

// BenchmarkStream measures one whole answer of twenty pieces over loopback,
// the server's part included.
func BenchmarkStream(b *testing.B) {
	pieces := make([]string, 20)
	for i := range pieces {
		pieces[i] = "word "
	}
	s := fakeopenai.Start(b, fakeopenai.Always(fakeopenai.Say(pieces...)), nil)
	p := connect(b, s, openai.Options{})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := collect(b.Context(), p, hello()); err != nil {
			b.Fatal(err)
		}
	}
}
