package main

import (
	"context"
	"strings"
	"testing"
)

// TestWrongUsage checks the messages for wrong arguments.
func TestWrongUsage(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	for _, row := range []struct {
		name string
		args []string
		want string
	}{
		{name: "an argument too many", args: []string{"-listen", "127.0.0.1:0", "now"}, want: `"now" is too much`},
		{name: "an unknown flag", args: []string{"-port", "1"}, want: "-port"},
		{name: "an address nobody has", args: []string{"-listen", "203.0.113.1:1"}, want: "203.0.113.1:1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			err := run(t.Context(), row.args, new(strings.Builder))
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("err = %v, want one that says %s", err, row.want)
			}
		})
	}
}

// TestServesUntilStopped checks that the command prints its address and ends
// when it is stopped.
func TestServesUntilStopped(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	ctx, stop := context.WithCancel(t.Context())
	said := make(lines, 1)
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, []string{"-listen", "127.0.0.1:0"}, said) }() // waited for below
	if got, want := <-said, "serving at http://127.0.0.1:"; !strings.HasPrefix(got, want) {
		t.Errorf("it says %q, want %q and a port", got, want)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("it ended with %v, want nil", err)
	}
}

// lines delivers written text, one element per Write.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}
