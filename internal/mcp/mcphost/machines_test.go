package mcphost

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// session has a machine register tools, call each and stop.
func session(t *testing.T, keeper Keeper, machine string, tools int) {
	t.Helper()
	h := New(WithKeeper(keeper, machine))
	err := errors.Join(h.Restore(t.Context()), h.RegisterBuiltin(probed(tools)...), h.Calibrate(t.Context()), h.Keep(t.Context()), h.Close())
	if err != nil {
		t.Fatal(err)
	}
}

func TestLatenciesOfOtherMachinesAreForgotten(t *testing.T) {
	const week = 7 * 24 * time.Hour
	synctest.Test(t, func(t *testing.T) {
		keeper := newMemoryKeeper()
		kept := func() []string {
			spaces, err := keeper.StateSpaces(t.Context(), latencySpaces)
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(spaces)
			return spaces
		}
		if err := keeper.SaveState(t.Context(), latencySpaces+"former", map[string][]byte{"builtin/a": []byte("[5,6,7]")}); err != nil {
			t.Fatal(err)
		}
		session(t, keeper, "laptop", 2)
		if got, want := kept(), []string{latencySpaces + "laptop"}; !slices.Equal(got, want) {
			t.Errorf("kept are %v, want %v: nobody knows when the former was", got, want)
		}
		time.Sleep(5 * week)
		session(t, keeper, "desk", 2)
		if got := kept(); len(got) != 2 {
			t.Errorf("kept after five weeks are %v, want both", got)
		}
		time.Sleep(2 * week)
		session(t, keeper, "desk", 2)
		if got, want := kept(), []string{latencySpaces + "desk"}; !slices.Equal(got, want) {
			t.Errorf("kept after seven weeks are %v, want %v", got, want)
		}
		for i := range 3 * maxMachines { // containers, each with a name of its own
			session(t, keeper, fmt.Sprint("container-", i), 2)
			time.Sleep(time.Hour)
		}
		if got := kept(); len(got) != maxMachines+1 || slices.Contains(got, latencySpaces+"container-0") || !slices.Contains(got, fmt.Sprint(latencySpaces, "container-", 3*maxMachines-2)) {
			t.Errorf("kept are %v, want the last %d", got, maxMachines+1)
		}
	})
}

func TestLatenciesOfToolsThatAreGoneAreForgotten(t *testing.T) {
	const week = 7 * 24 * time.Hour
	synctest.Test(t, func(t *testing.T) {
		keeper := newMemoryKeeper()
		rows := func() []string {
			state, err := keeper.LoadState(t.Context(), latencySpaces+"here")
			if err != nil {
				t.Fatal(err)
			}
			return slices.Sorted(maps.Keys(state))
		}
		session(t, keeper, "here", 3)
		time.Sleep(4 * week)
		session(t, keeper, "here", 2)
		if got := rows(); len(got) != 3 {
			t.Errorf("after four weeks %v are kept, want three tools", got)
		}
		time.Sleep(3 * week)
		session(t, keeper, "here", 2)
		if got := rows(); len(got) != 2 {
			t.Errorf("after seven weeks %v are kept, want the two that are there", got)
		}
		time.Sleep(10 * week)
		h := New(WithKeeper(keeper, "here"))
		if err := errors.Join(h.Restore(t.Context()), h.RegisterBuiltin(probed(2)...)); err != nil {
			t.Fatal(err)
		}
		if s := h.Status()[0]; s.Samples != 3*probesPerTool {
			t.Errorf("a machine that was away for long knows %d calls, want its %d", s.Samples, 3*probesPerTool)
		}
		if err := errors.Join(h.Keep(t.Context()), h.Close()); err != nil {
			t.Fatal(err)
		}
		if got := rows(); len(got) != 2 {
			t.Errorf("after ten weeks away %v are kept, want both", got)
		}
	})
}

// A keeper that cannot list says so.
type mute struct{ *memoryKeeper }

func (mute) StateSpaces(context.Context, string) ([]string, error) { return nil, errors.New("no list") }

func TestKeepSaysWhatItCannotForget(t *testing.T) {
	h := New(WithKeeper(mute{newMemoryKeeper()}, "here"))
	defer h.Close()
	if err := h.Keep(t.Context()); err == nil {
		t.Error("Keep found nothing wrong with a keeper that lists nothing")
	}
}
