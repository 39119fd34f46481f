package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"image/png"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
)

// TestSeal checks that only sealed states open.
func TestSeal(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	ours, err := newSeal()
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := newSeal()
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		state := ours.close(text)
		if got, err := ours.open(state); err != nil || got != text {
			t.Fatalf("open(close(%q)) = %q, %v", text, got, err)
		}
		b := []byte(state)
		at := rapid.IntRange(0, len(b)-1).Draw(t, "at")
		was := b[at]
		b[at] = rapid.SampledFrom([]byte("ABCxyz019-_.=!")).Draw(t, "byte")
		for name, bad := range map[string]string{
			"changed": string(b), "longer": state + "-TAMPERED", "shorter": state[:len(state)-1], "another's": theirs.close(text), "empty": "",
		} {
			if name == "changed" && b[at] == was {
				continue
			}
			var wire *jsonrpc.Error
			if got, err := ours.open(bad); !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams {
				t.Fatalf("%s: open(%q) = %q, %v; want an error of the protocol", name, bad, got, err)
			}
		}
	})
}

// TestShelf reads resources by address.
func TestShelf(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	for _, row := range []struct{ name, uri, text string }{
		{name: "text", uri: staticText, text: "This is the content of the static text resource."},
		{name: "a template's", uri: "test://template/123/data", text: `{"id":"123","templateTest":true,"data":"Data for ID: 123"}`},
		{name: "an id in need of escaping", uri: "test://template/a%20%22b%22/data", text: `{"id":"a \"b\"","templateTest":true,"data":"Data for ID: a \"b\""}`},
		{name: "no id", uri: "test://template//data"},
		{name: "two ids", uri: "test://template/1/2/data"},
		{name: "a broken escape", uri: "test://template/%zz/data"},
		{name: "half a template", uri: "test://template/123"},
		{name: "elsewhere", uri: "test://nowhere"},
		{name: "nothing", uri: ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			res, err := shelf{}.Read(t.Context(), mcpserver.LibraryView{}, row.uri)
			switch {
			case row.text == "" && !errors.Is(err, mcpserver.ErrUnknownResource):
				t.Errorf("reading %q: %+v, %v; want %v", row.uri, res, err, mcpserver.ErrUnknownResource)
			case row.text != "" && (err != nil || res.Contents[0].Text != row.text):
				t.Errorf("reading %q: %+v, %v; want %s", row.uri, res, err, row.text)
			case row.text != "" && res.Contents[0].MIMEType == "application/json" && !json.Valid([]byte(res.Contents[0].Text)):
				t.Errorf("reading %q: %s is no JSON", row.uri, res.Contents[0].Text)
			}
		})
	}
}

// TestMedia checks that other decoders read the media files.
func TestMedia(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	img, err := png.Decode(bytes.NewReader(picture()))
	if err != nil || img.Bounds().Dx() != 1 || img.Bounds().Dy() != 1 {
		t.Errorf("the picture: %v, %v; want one pixel", img, err)
	}
	if wav := silence(); len(wav) != 46 || string(wav[:4]) != "RIFF" || int(wav[4]) != len(wav)-8 || string(wav[36:40]) != "data" {
		t.Errorf("the sound = %q, want a WAV of one sample", wav)
	}
}
