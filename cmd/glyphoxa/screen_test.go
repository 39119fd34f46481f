package main_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/intruder"
	tablevisitor "github.com/MrWong99/glyphoxa/internal/lab/visitor"
)

// TestNoLibraryWritesToTheScreen checks that no library prints to the game
// master's screen, whatever strangers send over HTTP or WebRTC.
func TestNoLibraryWritesToTheScreen(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.limit = 9 * time.Minute
	w := h.watch("--browser")
	url, invite, _ := strings.Cut(w.table, "#")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	mallory, err := intruder.Join(ctx, url, invite, "Mallory", intruder.Unnamed)
	var early *tablevisitor.Refused
	for errors.As(err, &early) && early.Status == http.StatusServiceUnavailable && ctx.Err() == nil { // the game has not begun yet
		time.Sleep(time.Second)
		mallory, err = intruder.Join(ctx, url, invite, "Mallory", intruder.Unnamed)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = mallory.Close() }() // already closed
	for i := 0; i < 5000 && !mallory.IsOver(); i++ {
		_ = mallory.Sound(uint32(0x10000+i), i) // errors after the close do not matter
		time.Sleep(100 * time.Microsecond)
	}
	select {
	case <-mallory.Over():
	case <-ctx.Done():
		t.Fatal("the intruder is still at the table")
	}
	for range 200 { // none of it is HTTP
		c, err := new(net.Dialer).DialContext(ctx, "tcp", w.addr)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = c.Write([]byte("\x16\x03\x01\x02\x00\x01\x00\r\n\r\n"))
		_ = c.Close()
	}
	w.leave()
	if errs := w.errs.String(); strings.TrimSpace(errs) != "" {
		t.Errorf("the screen has %d lines that nobody asked for:\n%.2000s", strings.Count(errs, "\n"), errs)
	}
}
