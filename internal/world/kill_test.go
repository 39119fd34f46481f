package world_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// changeForever places entities in eight goroutines, each related to the inn and named in the
// scene, and prints each entity's number after Change returns.
func changeForever(path string) {
	store, err := sqlite.Open(context.Background(), path, nil)
	if err != nil {
		fmt.Println("error", err)
		return
	}
	w, err := world.Open(context.Background(), store, world.Options{})
	if err != nil {
		fmt.Println("error", err)
		return
	}
	var group sync.WaitGroup
	for n := range 8 {
		group.Go(func() {
			for i := n; ; i += 8 {
				if err := placeGuest(w, i); err != nil {
					fmt.Println("error", err)
					return
				}
				fmt.Println(i)
			}
		})
	}
	group.Wait()
}

func guest(i int) string { return fmt.Sprint("guest-", i) }

func placeGuest(w *world.World, i int) error {
	_, err := w.Change(context.Background(), "", func(tx *world.Tx) error {
		tx.SetScene(guest(i))
		if _, ok := tx.Entity("inn", ""); !ok {
			if err := tx.Put(memory.Entity{ID: "inn", Name: "Inn"}); err != nil {
				return err
			}
		}
		if err := tx.Put(memory.Entity{ID: guest(i), Name: guest(i), Position: at(float64(i), 1, 2)}); err != nil {
			return err
		}
		return tx.Relate(memory.Relation{From: guest(i), Type: memory.LocatedIn, To: "inn"})
	})
	return err
}

// TestKilledWhileWriting kills a process during its work: every reported change is in the
// store, and every stored change is complete.
func TestKilledWhileWriting(t *testing.T) {
	binary, err := os.Executable()
	must(t, "finding the test binary", err)
	for _, target := range []int{1, 20, 150} {
		t.Run(strconv.Itoa(target), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.db")
			reported := killAfter(t, binary, path, target)
			w := opened(t, stored(t, path), world.Options{})
			for _, i := range reported {
				if _, ok := w.Entity(guest(i), ""); !ok {
					t.Errorf("%s was reported placed and is gone", guest(i))
				}
			}
			for _, e := range w.Entities("") {
				if e.ID == "inn" {
					continue
				}
				if in := w.Relations(e.ID, ""); len(in) != 1 || e.Position == nil {
					t.Errorf("%s is half there: at %v, in %v", e.ID, e.Position, in)
				}
			}
			if _, ok := w.Entity(w.Scene(), ""); !ok {
				t.Errorf("the scene tells of %q, which is not there", w.Scene())
			}
			move(t, w, guest(reported[0]), 9) // the world is still usable
		})
	}
}

// killAfter runs the child until it has reported target changes, kills it and returns all
// reported changes.
func killAfter(t *testing.T, binary, path string, target int) []int {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary)
	cmd.Env = append(os.Environ(), childPath+"="+path)
	out, err := cmd.StdoutPipe()
	must(t, "opening the pipe", err)
	must(t, "starting the child", cmd.Start())
	var reported []int
	killed := false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		i, err := strconv.Atoi(lines.Text())
		if err != nil {
			if !killed || strings.HasPrefix(lines.Text(), "error") {
				t.Errorf("the child says %q", lines.Text())
			}
			continue
		}
		if reported = append(reported, i); len(reported) >= target && !killed {
			killed = true
			must(t, "killing the child", cmd.Process.Kill())
		}
	}
	if err := cmd.Wait(); err == nil || !killed {
		t.Fatalf("the child ended with %v by itself, want it killed", err)
	}
	return reported
}
