package discord_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// TestManySessions starts and stops hundreds of sessions in ten guilds and checks that no
// goroutine stays.
func TestManySessions(t *testing.T) {
	watch(t)
	const guilds = 10
	d := discordtest.New(t, nil)
	var all []table
	for n := range guilds {
		all = append(all, newTable(d, fmt.Sprintf("guild%d", n)))
	}
	run(t, d)
	round := func() {
		var work sync.WaitGroup
		for _, g := range all {
			work.Go(func() {
				if got := command(t, d, g.dm, g.channel, "session start"); !strings.Contains(got, "The Flagon") {
					t.Errorf("/session start: %q", got)
				}
				if got := command(t, d, g.dm, g.channel, "session stop"); !strings.Contains(got, "The session has ended") {
					t.Errorf("/session stop: %q", got)
				}
			})
		}
		work.Wait()
	}
	round()
	before := runtime.NumGoroutine()
	for range sessions - 1 {
		round()
	}
	// Only idle HTTP connections may differ.
	if after := runtime.NumGoroutine(); after > before+4*guilds {
		t.Errorf("%d goroutines after %d sessions, %d after the first ten", after, guilds*sessions, before)
	}
}
