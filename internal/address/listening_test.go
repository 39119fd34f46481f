package address_test

import (
	"testing"

	"github.com/MrWong99/glyphoxa/internal/address"
)

func TestListeningIsReadAsItIsWritten(t *testing.T) {
	described := map[string]bool{}
	for _, l := range []address.Listening{address.Attentive, address.Eager, address.CalledOnly} {
		if got, err := address.ParseListening(l.String()); got != l || err != nil {
			t.Errorf("ParseListening(%q) = %v, %v", l, got, err)
		}
		described[l.Describe()] = true
	}
	if len(described) != 3 {
		t.Errorf("described as %v", described)
	}
	for name, want := range map[string]address.Listening{" Called-Only ": address.CalledOnly, "called only": address.CalledOnly, "EAGER": address.Eager, "": address.Attentive} {
		if got, err := address.ParseListening(name); got != want || err != nil {
			t.Errorf("ParseListening(%q) = %v, %v", name, got, err)
		}
	}
	if _, err := address.ParseListening("always"); err == nil {
		t.Error("\"always\" is taken for a way of listening")
	}
}
