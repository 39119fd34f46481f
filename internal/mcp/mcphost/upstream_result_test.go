package mcphost

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestHintsAreKept has hints on content come out in the protocol's own form,
// as far as the protocol knows them, and clean.
func TestHintsAreKept(t *testing.T) {
	size := int64(7)
	everybody := &sdk.Annotations{Audience: []sdk.Role{"user", "assistant"}, Priority: 0.5, LastModified: "2026-01-01T00:00:00Z"}
	for _, row := range []struct {
		name    string
		in, out sdk.Content
	}{
		{name: "none", in: &sdk.TextContent{Text: "a"}},
		{name: "a link without", in: &sdk.ResourceLink{URI: "a://b", Name: "b"}},
		{
			name: "on text", in: &sdk.TextContent{Text: "a\x1b[31m", Annotations: everybody},
			out: &sdk.TextContent{Text: "a", Annotations: everybody},
		},
		{
			name: "on an image", in: &sdk.ImageContent{Data: []byte{1}, MIMEType: "image/png", Annotations: everybody},
			out: &sdk.ImageContent{Data: []byte{1}, MIMEType: "image/png", Annotations: everybody},
		},
		{
			name: "on sound", in: &sdk.AudioContent{Data: []byte{1}, MIMEType: "audio/wav", Annotations: everybody},
			out: &sdk.AudioContent{Data: []byte{1}, MIMEType: "audio/wav", Annotations: everybody},
		},
		{
			name: "on a resource", in: &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "a://b", Text: "c"}, Annotations: everybody},
			out: &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "a://b", Text: "c"}, Annotations: everybody},
		},
		{
			name: "of a link", in: &sdk.ResourceLink{URI: "a://b", Name: "b", Title: "B\u200b", Description: "About\x1b[2J b.", Size: &size},
			out: &sdk.ResourceLink{URI: "a://b", Name: "b", Title: "B", Description: "About b.", Size: &size},
		},
		{
			name: "unknown to the protocol", in: &sdk.TextContent{Text: "a", Annotations: &sdk.Annotations{Audience: []sdk.Role{"root", "user", "user"}, Priority: 7}},
			out: &sdk.TextContent{Text: "a", Annotations: &sdk.Annotations{Audience: []sdk.Role{"user"}}},
		},
		{
			name: "no number", in: &sdk.TextContent{Text: "a", Annotations: &sdk.Annotations{Priority: math.NaN()}},
			out: &sdk.TextContent{Text: "a", Annotations: &sdk.Annotations{}},
		},
		{
			name: "on what is too large to pass on", in: &sdk.ImageContent{Data: make([]byte, maxBinary+1), MIMEType: "image/png", Annotations: everybody},
			out: &sdk.TextContent{Text: "[image image/png, 16777217 bytes] (too large to pass on)", Annotations: everybody},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			res := renderResult(&sdk.CallToolResult{Content: []sdk.Content{row.in}, StructuredContent: map[string]any{"a": 1.0}, IsError: true})
			if row.out == nil {
				if res.Native != nil {
					t.Errorf("native = %+v, want none", res.Native)
				}
				return
			}
			want := &sdk.CallToolResult{Content: []sdk.Content{row.out}, StructuredContent: json.RawMessage(`{"a":1}`), IsError: true}
			got, ok := res.Native.(*sdk.CallToolResult)
			if !ok || !cmp.Equal(inJSON(t, want), inJSON(t, got)) {
				t.Errorf("native = %s, want %s", inJSON(t, got), inJSON(t, want))
			}
		})
	}
}

// TestHintsOfManyItems has more content than is passed on.
func TestHintsOfManyItems(t *testing.T) {
	var all []sdk.Content
	for range maxItems + 10 {
		all = append(all, &sdk.TextContent{Text: "a", Annotations: &sdk.Annotations{Priority: 1}})
	}
	got, ok := renderResult(&sdk.CallToolResult{Content: all}).Native.(*sdk.CallToolResult)
	if !ok || len(got.Content) != maxItems {
		t.Errorf("native = %v, want %d items", got, maxItems)
	}
}

func inJSON(t *testing.T, r *sdk.CallToolResult) string {
	t.Helper()
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestProgressIsHeard hands a server's progress to the call it is about, and to
// no other.
func TestProgressIsHeard(t *testing.T) {
	type report struct {
		done, total float64
		message     string
	}
	for _, row := range []struct {
		name, params string
		want         []report
	}{
		{name: "of the call", params: `{"progressToken":"glyphoxa-7","progress":1,"total":4,"message":"half\nway"}`, want: []report{{1, 4, "half way"}}},
		{name: "of another call", params: `{"progressToken":"glyphoxa-8","progress":1}`},
		{name: "under a number", params: `{"progressToken":7,"progress":1}`},
		{name: "of none", params: `{"progress":1}`},
		{name: "no object", params: `[1]`},
		{name: "no JSON", params: `{`},
		{name: "nothing", params: ``},
	} {
		t.Run(row.name, func(t *testing.T) {
			var got []report
			var s Server
			s.live.Store(&link{calls: map[uint64]linkCall{7: {
				cancel: func() {}, progress: func(done, total float64, message string) { got = append(got, report{done, total, message}) },
			}}})
			s.handleProgress(json.RawMessage(row.params))
			s.live.Load().removeCall(7)
			s.handleProgress(json.RawMessage(`{"progressToken":"glyphoxa-7","progress":2}`))
			if diff := cmp.Diff(row.want, got, cmp.AllowUnexported(report{})); diff != "" {
				t.Errorf("reports (-want +got):\n%s", diff)
			}
		})
	}
}
