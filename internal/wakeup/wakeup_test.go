package wakeup_test

import (
	"testing"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

func TestSignal(t *testing.T) {
	c := make(chan struct{}, 1)
	wakeup.Signal(c)
	wakeup.Signal(c)
	<-c
	if len(c) != 0 {
		t.Errorf("%d tokens are left, want none", len(c))
	}
}
