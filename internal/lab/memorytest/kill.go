package memorytest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/wordvectors"
)

// soakTurns is the number of turns in a soak.
const soakTurns = 1000

// childLocation names the variable with the child process's store.
const childLocation = "MEMORYTEST_CHILD"

// RunChild plays turns until the process is killed, if this is the child
// process of [Killed]; TestMain must call it first.
func RunChild(h Harness) {
	location := os.Getenv(childLocation)
	if location == "" {
		return
	}
	fmt.Println(playForever(context.Background(), h, location))
	os.Exit(1)
}

// playForever writes turns of two lines, indexes them now and then and changes
// the world, and prints the ids of lines once they were reported stored.
func playForever(ctx context.Context, h Harness, location string) error {
	s, err := h.Open(ctx, location, wordvectors.New(), nil)
	if err != nil {
		return err
	}
	sess, err := s.StartSession(ctx, "x")
	for turn := int64(1); err == nil; turn++ {
		var kept []memory.Line
		kept, err = s.Append(ctx,
			memory.Line{Session: sess.ID, Turn: turn, Speaker: "Ada", Text: fmt.Sprintf("unforgettable zebra %d", turn), User: Ada, Ref: fmt.Sprint("m", turn)},
			memory.Line{Session: sess.ID, Turn: turn, Speaker: "Bartok", NPC: "bartok", Text: fmt.Sprintf("What zebra, number %d?", turn)})
		if err != nil {
			break
		}
		fmt.Println(kept[0].ID, kept[1].ID)
		switch turn % 10 {
		case 3:
			_, err = s.IndexLines(ctx)
		case 5:
			_, err = s.EmbedFacts(ctx)
		case 7:
			err = s.Change(ctx, memory.Batch{Put: []memory.Entity{{ID: "aldo", Name: "Aldo", Description: fmt.Sprintf("A zebra miller %d.", turn)}}})
		case 9:
			_, err = s.Reword(ctx, sess.ID, fmt.Sprint("m", turn), fmt.Sprintf("an unforgettable zebra, the %dth", turn))
		}
	}
	return err
}

// Killed lets a child process play turns, killed without warning at random
// points: each time, exactly the lines reported stored are there and found by
// their words.
func Killed(t *testing.T, h Harness, turns int) {
	t.Helper()
	if os.Getenv("GLYPHOXA_SOAK") != "" {
		turns = max(turns, soakTurns)
	}
	location := h.New(t)
	kept := map[int64]bool{}
	kills := 0
	for played := 0; played < turns; kills++ {
		n := 1 + rand.IntN(max(2, min(turns/8, 100)))
		ids := playAndKill(t, location, n)
		if len(ids) < 2*n {
			t.Fatalf("the child printed %d lines, want %d", len(ids), 2*n)
		}
		played += len(ids) / 2
		for _, id := range ids {
			kept[id] = true
		}
		s, err := h.Open(t.Context(), location, wordvectors.New(), nil)
		must(t, "Open", err)
		compareAfterKill(t, s, kept)
		Sound(t, s)
		must(t, "Close", s.Close())
		if h.Inspect != nil {
			in := h.Inspect(t, location)
			if !slices.Equal(in.Facts, in.FactsFound) || !slices.Equal(in.Embedded, in.Vectors) {
				t.Fatalf("after a kill: %d facts, %d found by words; %d with a vector, %d vectors", len(in.Facts), len(in.FactsFound), len(in.Embedded), len(in.Vectors))
			}
		}
	}
	t.Logf("%d kills, %d lines kept", kills, len(kept))
}

// compareAfterKill compares the lines of all sessions with those reported
// stored, and with the full-text index.
func compareAfterKill(t *testing.T, s memory.Store, kept map[int64]bool) {
	t.Helper()
	const all = 1 << 20
	sessions, err := s.Sessions(t.Context(), 0)
	must(t, "Sessions", err)
	there := map[int64]bool{}
	for _, sess := range sessions {
		lines, err := s.Recent(t.Context(), sess.ID, all)
		must(t, "Recent", err)
		if len(lines) != sess.Lines {
			t.Fatalf("session has %d lines, and %d are counted", len(lines), sess.Lines)
		}
		if len(lines)%2 != 0 {
			t.Fatalf("%d lines, want turns of two", len(lines))
		}
		for _, l := range lines {
			there[l.ID] = true
		}
	}
	for id := range kept {
		if !there[id] {
			t.Fatalf("line %d was reported kept and is gone", id)
		}
	}
	hits, err := s.SearchLines(t.Context(), memory.LineQuery{Text: "zebra", Limit: all})
	must(t, "SearchLines", err)
	for _, h := range hits {
		if !there[h.ID] {
			t.Fatalf("line %d is found and is not there", h.ID)
		}
	}
	if len(hits) != len(there) {
		t.Fatalf("%d lines are found, %d are there", len(hits), len(there))
	}
}

// playAndKill lets a child play, kills it after n turns and returns the lines
// it reported stored, including those printed before the signal arrived.
func playAndKill(t *testing.T, location string, turns int) (ids []int64) {
	t.Helper()
	binary, err := os.Executable()
	must(t, "Executable", err)
	cmd := exec.CommandContext(t.Context(), binary)
	cmd.Env = append(os.Environ(), childLocation+"="+location)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, "StdoutPipe", err)
	must(t, "Start", cmd.Start())
	scan := bufio.NewScanner(out)
	scan.Split(bufio.ScanWords)
	for scan.Scan() {
		id, err := strconv.ParseInt(scan.Text(), 10, 64)
		if err != nil {
			t.Errorf("the child says %q", scan.Text())
			break
		}
		if ids = append(ids, id); len(ids) == 2*turns {
			must(t, "Kill", cmd.Process.Kill())
		}
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.Exited() {
		t.Fatalf("the child ended with %v, want it killed", err)
	}
	return ids
}
