package simulate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/farend"
	"github.com/MrWong99/glyphoxa/internal/lab/rig"
)

// farLine sends orders to the far end, where the players are.
type farLine struct {
	address farend.Address
	answers *json.Decoder
	wait    func() error // until the far end has ended
	hangUp  func() error // ends it; may be called more than once

	mu     sync.Mutex // guards orders
	orders *json.Encoder
}

// startFarEnd starts the far end in a process that calls [ServeFarEnd], or in
// this one if nil. close ends it.
func startFarEnd(ctx context.Context, setup farSetup, process func() *exec.Cmd) (f *farLine, err error) {
	f = &farLine{}
	var in io.WriteCloser
	var out io.Reader
	var complaint bytes.Buffer
	if process == nil {
		in, out = f.runHere(ctx)
	} else {
		cmd := process()
		cmd.Stderr = &complaint
		if in, err = cmd.StdinPipe(); err != nil {
			return nil, err
		}
		if out, err = cmd.StdoutPipe(); err != nil {
			return nil, err
		}
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		f.wait = cmd.Wait
	}
	f.hangUp = sync.OnceValue(in.Close)
	f.orders, f.answers = json.NewEncoder(in), json.NewDecoder(out)
	err = f.orders.Encode(setup)
	if err == nil {
		err = f.answers.Decode(&f.address)
	}
	if err != nil {
		return nil, fmt.Errorf("starting the far end: %w", errors.Join(err, f.close(), complaintOf(&complaint)))
	}
	return f, nil
}

// complaintOf returns a process's error output.
func complaintOf(b *bytes.Buffer) error {
	if b.Len() == 0 {
		return nil
	}
	return errors.New(string(bytes.TrimSpace(b.Bytes())))
}

// runHere runs the far end in this process and returns its input and output.
func (f *farLine) runHere(ctx context.Context) (io.WriteCloser, io.Reader) {
	in, orders := io.Pipe()
	answers, out := io.Pipe()
	ended := make(chan error, 1)
	f.wait = func() error { return <-ended }
	go func() {
		err := ServeFarEnd(context.WithoutCancel(ctx), in, out)
		_ = in.CloseWithError(io.ErrClosedPipe) // so that orders do not block
		_ = out.CloseWithError(err)
		ended <- err
	}()
	return orders, answers
}

func (f *farLine) order(o farOrder) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.orders.Encode(o)
}

// report ends the measurement.
func (f *farLine) report() (r PeerReport, err error) {
	if err = f.order(farOrder{Measure: measureEnd}); err == nil {
		err = f.answers.Decode(&r)
	}
	return r, err
}

func (f *farLine) close() error { return errors.Join(f.hangUp(), f.wait()) }

// relayUtterances sends a player's utterances to the far end, until ctx ends.
func (p *player) relayUtterances(ctx context.Context, far front, table, number int) {
	for {
		var u *utterance
		select {
		case u = <-p.asks:
		case <-ctx.Done():
			return
		}
		if far.order(farOrder{Table: table, Player: number, Text: u.text, Pause: u.pause}) != nil {
			return // The far end has ended, which its owner learns.
		}
		t := p.beginTalk(u)
		var length time.Duration
		for _, part := range t.parts {
			length += part.length()
		}
		if rig.Pause(ctx, length) != nil {
			return
		}
		close(u.done)
	}
}
