package sqlite_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/memorytest"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// traces are the byte sequences by which a line could be found in a file: the ends of its
// words, because the index shortens common prefixes, and pieces of its fact's vector,
// because a page may end within it.
func traces(l memory.Line) (words, vector [][]byte) {
	for w := range strings.FieldsSeq(l.Text) {
		words = append(words, []byte(w[len(w)-8:]))
	}
	v := memorytest.Noise{}.Vector(l.Speaker + ": " + l.Text)
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	var packed []byte
	for _, x := range v {
		packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(float32(float64(x)/math.Sqrt(square))))
	}
	return words, slices.Collect(slices.Chunk(packed, 8))
}

// gibberish returns n words that occur nowhere else.
func gibberish(rnd *rand.Rand, n int) string {
	words := make([]string, n)
	for i := range words {
		b := make([]byte, 14)
		for j := range b {
			b[j] = byte('a' + rnd.IntN(26))
		}
		words[i] = string(b)
	}
	return strings.Join(words, " ")
}

func TestNothingForgottenIsLeftInTheFile(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	path := filepath.Join(memorytest.QuickDir(t), "a.db")
	s := open(t, path, &sqlite.Options{Embedder: memorytest.Noise{}})
	sessions := []string{memorytest.StartSession(t, s), memorytest.StartSession(t, s)}
	var kept, gone []memory.Line
	for range erasedRounds {
		var some []memory.Line
		for range 40 {
			ref := fmt.Sprint("m", len(some), rnd.Uint64())
			l := memory.Line{Session: sessions[rnd.IntN(2)], Speaker: "Ada", User: memorytest.Ada, Ref: ref, Text: gibberish(rnd, 1+rnd.IntN(8))}
			if rnd.IntN(2) == 0 {
				l.Speaker, l.User = "Bob", memorytest.Bob
			}
			if rnd.IntN(100) == 0 {
				l.Text = gibberish(rnd, 1000) // several pages
			}
			some = append(some, l)
		}
		for i, l := range memorytest.Write(t, s, some...) {
			var n = 1
			var err error
			switch {
			case i == 0:
				n, err = s.Retract(t.Context(), l.Session, l.Ref)
				gone = append(gone, l)
			case i == 1:
				gone = append(gone, l)
				l.Text = gibberish(rnd, 3)
				n, err = s.Reword(t.Context(), l.Session, l.Ref, l.Text)
				must(t, "Reword", err)
				_, err = memorytest.EmbedAll(t, s)
			}
			if err != nil || n != 1 {
				t.Fatalf("line %d: %d, %v", l.ID, n, err)
			}
			switch {
			case i == 0:
			case l.User == memorytest.Ada:
				gone = append(gone, l)
			default:
				kept = append(kept, l)
			}
		}
	}
	shown(t, files(t, path), kept)
	n, err := s.Forget(t.Context(), memorytest.Ada)
	must(t, "Forget", err)
	if n < 15*erasedRounds {
		t.Errorf("%d lines, want about half of %d", n, 40*erasedRounds)
	}
	after := files(t, path)
	shown(t, after, kept)
	for _, l := range gone {
		vanished(t, after, l)
	}
	if bytes.Contains(after, []byte(memorytest.Ada)) {
		t.Errorf("%q is left", memorytest.Ada)
	}
}

// shown checks that data contains the traces of lines at all.
func shown(t *testing.T, data []byte, lines []memory.Line) {
	t.Helper()
	for _, l := range lines {
		in := func(b []byte) bool { return bytes.Contains(data, b) }
		if words, vector := traces(l); !slices.ContainsFunc(words, in) || !slices.ContainsFunc(vector, in) {
			t.Fatalf("the file does not show %.40q, line %d of %s", l.Text, l.ID, l.Speaker)
		}
	}
}

// files returns the contents of all files of a database.
func files(t testing.TB, path string) (out []byte) {
	t.Helper()
	all, err := filepath.Glob(path + "*")
	must(t, "Glob", err)
	for _, name := range all {
		b, err := os.ReadFile(name)
		must(t, "ReadFile", err)
		out = append(out, b...)
	}
	return out
}

// TestRetractedAndRewordedIsOverwritten needs no Forget: text that is taken back soon,
// before SQLite moves its rows, disappears from the file with the log.
func TestRetractedAndRewordedIsOverwritten(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	path := filepath.Join(t.TempDir(), "a.db")
	s, err := sqlite.Open(t.Context(), path, &sqlite.Options{Embedder: memorytest.Noise{}})
	must(t, "Open", err)
	id := memorytest.StartSession(t, s)
	lines := memorytest.Write(t, s,
		memory.Line{Session: id, Speaker: "Ada", Ref: "m1", Text: gibberish(rnd, 5)},
		memory.Line{Session: id, Speaker: "Ada", Ref: "m2", Text: gibberish(rnd, 5)},
		memory.Line{Session: id, Speaker: "Ada", Ref: "m3", Text: gibberish(rnd, 2000)},
		memory.Line{Session: id, Speaker: "Bob", Ref: "m4", Text: gibberish(rnd, 5)},
	)
	shown(t, files(t, path), lines)
	for _, ref := range []string{"m1", "m3"} {
		if n, err := s.Retract(t.Context(), id, ref); err != nil || n != 1 {
			t.Errorf("Retract(%s) = %d, %v; want 1", ref, n, err)
		}
	}
	if n, err := s.Reword(t.Context(), id, "m2", "I said nothing."); err != nil || n != 1 {
		t.Errorf("Reword = %d, %v; want 1", n, err)
	}
	must(t, "Close", s.Close()) // moves the log into the file
	data := files(t, path)
	shown(t, data, lines[3:])
	for _, l := range lines[:3] {
		vanished(t, data, l)
	}
}

func vanished(t *testing.T, data []byte, l memory.Line) {
	t.Helper()
	words, vector := traces(l)
	for _, b := range append(words, vector...) {
		if bytes.Contains(data, b) {
			t.Errorf("%q is left of line %d, %.40q", b, l.ID, l.Text)
		}
	}
}
