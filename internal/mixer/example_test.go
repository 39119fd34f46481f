package mixer_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/mixer"
)

// A table plays a line and reads its notes.
func ExampleMixer() {
	m := mixer.New(outletFunc(discard), &mixer.Options{Unpaced: true})
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = m.Run(ctx) })

	l := mixer.NewLine(1)
	l.Begin()
	l.Append(make([]int16, 48000))
	l.End()
	l.Close()
	m.Play(l)
	for over := false; !over; {
		<-m.Ready()
		for _, n := range m.DrainEvents(nil) {
			fmt.Println(n.Kind, n.Played)
			over = n.Kind == mixer.Finished
		}
	}
	cancel()
	wg.Wait()
	// Output:
	// started 20ms
	// sentence ended 1s
	// finished 1s
}
