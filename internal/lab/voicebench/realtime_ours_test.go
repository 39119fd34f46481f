package voicebench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/engine/s2s"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s/openai"
)

// playRealtime plays a plan on our side: a table with the speech-to-speech
// engine and the product's client of the service, up to the outlet after the
// mixer.
func playRealtime(ctx context.Context, p realtimePlan) (realtimeReport, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	clock, err := machineClock()
	if err != nil {
		return realtimeReport{}, err
	}
	began := time.Now() // both clocks are the machine's monotonic one
	provider, err := openai.New(p.Key, &openai.Options{BaseURL: p.URL})
	if err != nil {
		return realtimeReport{}, err
	}
	host := mcphost.New()
	rooms, engines := make([]*room, p.Tables), make([]*s2s.Engine, p.Tables)
	var running sync.WaitGroup
	for i := range rooms {
		plan := plan{Persona: fmt.Sprintf("%s This is table %d.", p.Persona, i), Utterance: p.Utterance, HearMS: p.HearMS, EndpointMS: 200}
		kept := memories{&journal{}, nowhere{}, memory.Session{ID: fmt.Sprint("s", i)}}
		rooms[i] = newRoom(plan, host, kept, func(s *script) engine.Engine {
			engines[i] = s2s.New(provider, host, engine.NewCascaded(model{s}, nil), nil)
			return engines[i]
		})
		running.Go(func() { _ = rooms[i].Run(ctx) }) // ends with ctx, without an error
	}
	r := realtimeReport{First: make([][]json.Number, p.Tables)}
	failed := make([]error, p.Tables)
	var playing sync.WaitGroup
	for i, table := range rooms {
		period := time.Duration(p.PeriodMS * float64(time.Millisecond))
		from := began.Add(period * time.Duration(i) / time.Duration(p.Tables))
		playing.Go(func() {
			for k := range p.Turns {
				if failed[i] = sleep(ctx, time.Until(from.Add(time.Duration(k)*period))); failed[i] != nil {
					return
				}
				heard, err := table.answer(ctx)
				if err != nil {
					failed[i] = err
					return
				}
				at := clock + int64(heard.Sub(began))
				r.First[i] = append(r.First[i], json.Number(strconv.FormatInt(at, 10)))
			}
		})
	}
	playing.Wait()
	cancel()
	running.Wait()
	for _, e := range engines {
		e.Close()
	}
	return r, errors.Join(errors.Join(failed...), host.Close())
}

// answer plays a line, its answer and the interruption. It returns the time of
// the answer's first frame.
func (r *room) answer(ctx context.Context) (time.Time, error) {
	r.outlet.armed.Store(true)
	if _, err := r.ask(ctx); err != nil {
		return time.Time{}, err
	}
	heard, err := await(ctx, r.outlet.first, "frame")
	if err != nil {
		return time.Time{}, err
	}
	if err := sleep(ctx, time.Duration(r.plan.HearMS*float64(time.Millisecond))); err != nil {
		return time.Time{}, err
	}
	_, err = r.silence(ctx)
	return heard, err
}
