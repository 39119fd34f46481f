package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// TestSharesAreApart shows that who takes all it may have leaves the others theirs.
func TestSharesAreApart(t *testing.T) {
	s := newShares(defaultBody)
	for _, who := range []string{"a", "b", "c", "d"} {
		if !s.reserve(who, s.each-modestShare) {
			t.Fatalf("%s is refused what is its share", who)
		}
		if s.reserve(who, FirstRead+1) {
			t.Fatalf("%s has something long beside what is as long as may be", who)
		}
		for range modestShare / FirstRead {
			if !s.reserve(who, FirstRead) {
				t.Fatalf("%s has no room for what is short beside what is long", who)
			}
		}
		if s.reserve(who, 1) {
			t.Fatalf("%s has more than its share", who)
		}
	}
	if s.reserve("e", modestShare+1) {
		t.Error("a fifth holds much beside four that hold all they may")
	}
	if !s.reserve("e", modestShare) {
		t.Error("a fifth may not even hold little")
	}
	s.release("a", s.each)
	if !s.reserve("e", s.each-2*modestShare) {
		t.Error("what one gave back is not there for another")
	}
	for _, who := range []string{"b", "c", "d"} {
		s.release(who, s.each)
	}
	s.release("e", s.each-modestShare)
	if s.total != 0 || len(s.held) != 0 {
		t.Errorf("%d bytes by %v are held by nobody", s.total, s.held)
	}
}

// TestMemoryGivenBackOnce shows that memory is given back when a burst is over, not
// during it, and not again before the next.
func TestMemoryGivenBackOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShares(defaultBody)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); s.returnMemory(ctx) }()
		s.reserve("a", modestShare)
		s.release("a", modestShare)
		if s.burst {
			t.Error("a modest request counts as a burst")
		}
		s.reserve("a", burstBytes)
		s.release("a", burstBytes)
		s.reserve("a", burstBytes) // it goes on
		synctest.Wait()
		time.Sleep(calmTime)
		if s.mu.Lock(); !s.burst {
			t.Error("the burst is forgotten while it goes on")
		}
		s.mu.Unlock()
		s.release("a", burstBytes)
		time.Sleep(calmTime)
		synctest.Wait()
		if s.endBurst() {
			t.Error("the burst is not forgotten after it")
		}
		cancel()
		<-done
	})
}

// TestBodyWithinBounds shows what ends the reading of a request, and that nothing is
// held of the share afterwards.
func TestBodyWithinBounds(t *testing.T) {
	const most = 64 << 10
	broken := errors.New("the line broke")
	for name, c := range map[string]struct {
		from io.Reader
		want error
	}{
		"as long as may be":  {strings.NewReader(strings.Repeat(" ", most)), nil},
		"a byte too long":    {strings.NewReader(strings.Repeat(" ", most+1)), ErrTooLarge},
		"in single bytes":    {iotest.OneByteReader(strings.NewReader(strings.Repeat("x", 9000))), nil},
		"nothing":            {strings.NewReader(""), nil},
		"a broken line":      {io.MultiReader(strings.NewReader("{"), iotest.ErrReader(broken)), broken},
		"too deep":           {strings.NewReader(strings.Repeat("[", MaxDepth+1)), ErrTooLarge},
		"data with its end":  {iotest.DataErrReader(strings.NewReader(`{"a":1}`)), nil},
		"too many, and long": {strings.NewReader("[" + strings.Repeat("0,", most)), ErrTooLarge},
	} {
		s := newShares(most)
		var seen bytes.Buffer
		b := Reading{Max: most, Share: s.of(&access.Subject{Name: "a"})}
		err := b.ReadAll(io.TeeReader(c.from, &seen))
		if !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if c.want == nil && !bytes.Equal(b.Data(), seen.Bytes()) {
			t.Errorf("%s: %d bytes of %d were kept", name, len(b.Data()), seen.Len())
		}
		b.Free()
		if s.total != 0 {
			t.Errorf("%s: %d bytes stay held", name, s.total)
		}
	}
	s := newShares(most)
	for s.reserve("a", FirstRead) {
	}
	b := Reading{Max: most, Share: s.of(&access.Subject{Name: "a"})}
	if err := b.ReadAll(strings.NewReader("{}")); !errors.Is(err, ErrOverShare) {
		t.Errorf("a caller whose share is used up is told %v", err)
	}
}
