package mcpserver

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// bench is a quota and those whose holdings had to end.
type bench struct {
	*quota
	t     rapid.TB
	ended []string
}

func (b *bench) hold(name, caller, address string) *holding {
	b.t.Helper()
	h, why := b.acquire(caller, address, func() { b.ended = append(b.ended, name) })
	if why != nil {
		b.t.Fatalf("%s is refused: %v", name, why)
	}
	return h
}

// TestStrangersGiveWay shows that a stranger more costs a stranger less, and which.
func TestStrangersGiveWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{quota: newQuota("seats", quotaBounds{strangers: 4, strangersAt: 3, known: 2, each: 1, at: 2, certain: 0}), t: t}
		used := b.hold("used", "", "here")
		used.begin()
		used.release()
		used.release()
		b.hold("busy", "", "here")
		b.hold("fresh", "", "here").release()
		time.Sleep(time.Second)
		b.hold("one too many here", "", "here").release()
		b.hold("there", "", "there").release()
		b.hold("one too many", "", "elsewhere").release()
		b.hold("another", "", "elsewhere").release()
		if got, want := fmt.Sprint(b.ended), "[fresh one too many here used]"; got != want {
			t.Errorf("%s gave way, want %s: the oldest of those with most, first what was never used", got, want)
		}
		if n := b.open(); n != 4 {
			t.Errorf("%d are open", n)
		}
		for i := range 3 { // busy ones stay
			if _, why := b.acquire("", "there", nil); (why != nil) != (i == 2) {
				t.Errorf("stranger %d who stays busy is told %v", i, why)
			}
		}
		if n := b.open(); n != 4 {
			t.Errorf("%d are open", n)
		}
	})
}

// TestKnownHaveTheirOwn shows what callers with a token may hold, and that strangers take
// none of it.
func TestKnownHaveTheirOwn(t *testing.T) {
	b := &bench{quota: newQuota("seats", quotaBounds{strangers: 2, strangersAt: 2, known: 6, each: 4, at: 5, certain: 1}), t: t}
	for i := range 20 {
		b.hold(fmt.Sprint("stranger", i), "", "here").release()
	}
	var a []*holding
	for i := range 4 {
		a = append(a, b.hold(fmt.Sprint("a", i), "a", "here"))
	}
	refused := func(caller, address string) {
		t.Helper()
		if h, why := b.acquire(caller, address, nil); why == nil {
			t.Errorf("%s at %s may hold one more", caller, address)
			h.free()
		} else if why.RetryAfter == 0 || why.By != byLimits {
			t.Errorf("the refusal is %+v", why)
		}
	}
	refused("a", "there") // as one caller
	b.hold("b0", "b", "here")
	refused("b", "here") // as those at one address
	b.hold("b1", "b", "there")
	refused("b", "there") // as all together
	b.hold("c0", "c", "here")
	refused("c", "there")
	a[0].free()
	a[0].free() // which changes nothing
	a[1].free()
	b.hold("c1", "c", "there")
	if n := b.open() - b.strange.Len(); n != 6 {
		t.Errorf("%d are held by those with a token", n)
	}
}

// TestOwnGivesWay shows that where holdings yield, a caller's own oldest idle one does.
func TestOwnGivesWay(t *testing.T) {
	b := &bench{quota: newQuota("seats", quotaBounds{strangers: 2, strangersAt: 2, known: 9, each: 2, at: 9, evictIdle: true}), t: t}
	b.hold("busy", "a", "here")
	b.hold("idle", "a", "here").release()
	b.hold("of another", "b", "here").release()
	newest := b.hold("newest", "", "here")
	if why := newest.transferTo("a", "here"); why != nil {
		t.Errorf("a stranger's that turns out to be a's is refused: %v", why)
	}
	if why := b.hold("too many", "", "here").transferTo("a", "here"); why == nil {
		t.Error("a third that is busy is let in")
	}
	b.hold("s1", "", "here").release()
	b.hold("s2", "", "here").release()
	b.hold("s3", "", "here")
	b.hold("s4", "", "here")
	b.hold("s5", "", "here")
	if got, want := fmt.Sprint(b.ended), "[idle too many s1 s2 s3]"; got != want {
		t.Errorf("%s gave way, want %s", got, want)
	}
}

// TestGrace shows that what was just taken does not give way, and who takes one more waits.
func TestGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{quota: newQuota("seats", quotaBounds{strangers: 1, strangersAt: 1, evictIdle: true, grace: time.Second}), t: t}
		b.hold("first", "", "here").release()
		time.Sleep(time.Second / 4)
		start := time.Now()
		b.hold("second", "", "here").release()
		if took := time.Since(start); took != 3*time.Second/4 || fmt.Sprint(b.ended) != "[first]" {
			t.Errorf("%v gave way after %v", b.ended, took)
		}
	})
}

// TestIdleEnds shows that what was opened and never used ends early, strangers' idle ones
// end, and nobody else's.
func TestIdleEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{quota: newQuota("seats", quotaBounds{strangers: 9, strangersAt: 9, known: 9, each: 9, at: 9, fresh: time.Second, idle: time.Minute}), t: t}
		for _, who := range []string{"", "a"} {
			b.hold("fresh"+who, who, "here").release()
			h := b.hold("used"+who, who, "here")
			h.begin()
			h.release()
			h.release()
			b.hold("busy"+who, who, "here")
		}
		time.Sleep(time.Second - time.Nanosecond)
		if n := b.endIdle(); n != 0 {
			t.Errorf("%v end too early", b.ended)
		}
		time.Sleep(time.Nanosecond)
		if n := b.endIdle(); n != 2 || fmt.Sprint(b.ended) != "[fresh fresha]" {
			t.Errorf("%v end, want the two that were never used", b.ended)
		}
		time.Sleep(time.Minute)
		if n := b.endIdle(); n != 1 || fmt.Sprint(b.ended[2:]) != "[used]" {
			t.Errorf("%v end, want the stranger's idle one", b.ended[2:])
		}
	})
}

// TestQuotaCounts has callers take, use, hand over and free at random: the bounds hold,
// those with a token are never refused for strangers, and in the end nothing is counted.
func TestQuotaCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := newQuota("seats", quotaBounds{
			strangers: 3, strangersAt: 2, known: 6, each: 3, at: 5, certain: 1, evictIdle: rapid.Bool().Draw(t, "yields"),
		})
		var all []*holding
		callers, addresses := []string{"", "", "", "a", "b", "c", "d", "e", "f", "g"}, []string{"x", "y"}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			caller, address := rapid.SampledFrom(callers).Draw(t, "caller"), rapid.SampledFrom(addresses).Draw(t, "address")
			switch what := rapid.IntRange(0, 5).Draw(t, "what"); {
			case what < 3 || len(all) == 0:
				h, why := q.acquire(caller, address, func() {})
				if why != nil && caller != "" && q.callers[caller] < q.certain {
					t.Fatalf("%s is refused what it may surely have: %v", caller, why)
				}
				if h != nil {
					all = append(all, h)
				}
			case what == 3:
				all[len(all)-1].release()
			case what == 4:
				_ = all[len(all)/2].transferTo(caller, address)
			default:
				all[0].free()
			}
			if q.strange.Len() > q.strangers || q.addresses[location{"x", true}] > q.strangersAt || q.addresses[location{"y", true}] > q.strangersAt {
				t.Fatalf("strangers hold %v", q.addresses)
			}
			for who, n := range q.callers {
				if n > q.each || n <= 0 {
					t.Fatalf("%s holds %d", who, n)
				}
			}
		}
		for _, h := range all {
			h.free()
		}
		if q.open() != 0 || len(q.callers)+len(q.addresses) != 0 {
			t.Fatalf("%d, %v, %v stay counted", q.open(), q.callers, q.addresses)
		}
	})
}
