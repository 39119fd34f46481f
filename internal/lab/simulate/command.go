package simulate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/diceroller"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// Command configures simulations and their output.
type Command struct {
	// Tables, Players and NPCs are as in [Load].
	Tables, Players, NPCs int
	// Engines is as in [Load].
	Engines Mix
	// Sweep simulates these numbers of tables one after the other, instead of
	// Tables.
	Sweep []int
	// Minutes is the length of each simulation.
	Minutes float64
	Seed    uint64
	// Detection selects the voice detector, like hearing.detection in a
	// configuration. If empty, auto.
	Detection string
	// Discord and Browser are as in [Options].
	Discord *Discord
	Browser *Browser
	// Plot and Profile are paths of files, or empty: a picture, which appears
	// when complete, and a processor profile for go tool pprof.
	Plot, Profile string
	// Out receives the report: one JSON object, or a list of them for a sweep.
	Out io.Writer
	// Say, if not nil, receives progress messages for people.
	Say func(string)
}

// mostMinutes bounds a simulation: 30 days.
const mostMinutes = 30 * 24 * 60

// assumedMemory is the memory for tables where the machine's memory is unknown.
const assumedMemory = 8 << 30

// Run measures how many tables this machine can run. When ctx ends it reports
// the measurements so far.
func (c Command) Run(ctx context.Context) (err error) {
	loads, err := c.loads()
	if err != nil {
		return userfile.Usage(err)
	}
	if !slices.Contains(config.Detections(), cmp.Or(c.Detection, config.DetectionAuto)) {
		return userfile.Usage(fmt.Errorf("--detection: %q is not one of %s", c.Detection, strings.Join(config.Detections(), ", ")))
	}
	if c.Plot != "" && c.Profile != "" && sameFile(c.Plot, c.Profile) {
		return userfile.Usage(fmt.Errorf("--plot and --profile are both %s; name two files", c.Plot))
	}
	var plot *picture
	if c.Plot != "" {
		if plot, err = newPicture(c.Plot); err != nil {
			return userfile.Usage(fmt.Errorf("--plot: %w", err))
		}
		defer plot.close()
	}
	stop, err := c.startProfile()
	if err != nil {
		return userfile.Usage(err)
	}
	defer func() { err = errors.Join(err, stop()) }()
	var results []*Result
	for _, load := range loads {
		result, failed := c.measureLoad(ctx, load)
		if result != nil {
			results = append(results, result)
		}
		if err = explainFailure(ctx, failed); err != nil || ctx.Err() != nil {
			break
		}
	}
	return errors.Join(err, c.report(results, plot))
}

// explainFailure explains to people why a simulation failed.
func explainFailure(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrNoFrames):
		return fmt.Errorf("%w; give it more --minutes", err)
	case errors.Is(ctx.Err(), context.Canceled):
		return ErrInterrupted // other errors follow from it
	}
	return err
}

// loads returns the loads to simulate, in order.
func (c Command) loads() ([]Load, error) {
	if !(c.Minutes <= mostMinutes) { // also false for NaN
		return nil, fmt.Errorf("a simulation takes at most %d minutes", mostMinutes)
	}
	memory := debug.SetMemoryLimit(-1) // -1 only reads the limit
	if memory == math.MaxInt64 {
		memory = assumedMemory
	}
	load := Load{Tables: c.Tables, Players: c.Players, NPCs: c.NPCs, Engines: c.Engines, Duration: time.Duration(c.Minutes * float64(time.Minute))}
	sizes := c.Sweep
	if len(sizes) == 0 {
		sizes = []int{c.Tables}
	}
	var all []Load
	for _, n := range sizes {
		load.Tables = n
		if err := load.Check(); err != nil {
			return nil, err
		}
		if err := load.Fits(memory, c.Browser != nil); err != nil {
			return nil, err
		}
		all = append(all, load)
	}
	return all, nil
}

// startProfile starts a profile if requested, and returns a function that ends
// it.
func (c Command) startProfile() (stop func() error, err error) {
	if c.Profile == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(c.Profile)
	if err != nil {
		return nil, fmt.Errorf("--profile: %w", err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(fmt.Errorf("--profile: %w", err), f.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		return f.Close()
	}, nil
}

// measureLoad simulates one load with its own database, which it removes.
func (c Command) measureLoad(ctx context.Context, load Load) (result *Result, err error) {
	dir, err := os.MkdirTemp("", "glyphoxa-simulate-")
	if err != nil {
		return nil, fmt.Errorf("making a directory for the session log: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	embed, err := providers.Embedder(config.Provider{Name: providers.Offline})
	if err != nil {
		return nil, err
	}
	store, err := sqlite.Open(ctx, filepath.Join(dir, "glyphoxa.db"), &sqlite.Options{Embedder: embed})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	host := mcphost.New()
	defer func() { err = errors.Join(err, host.Close()) }()
	for _, t := range diceroller.Tools() {
		if err := host.RegisterBuiltin(t); err != nil {
			return nil, err
		}
	}
	indexing, stop := context.WithCancel(ctx)
	var background sync.WaitGroup
	background.Go(func() { play.RunIndexer(indexing, store, slog.New(slog.DiscardHandler), func(string) {}) })
	defer background.Wait()
	defer stop()
	lib, err := opus.Load()
	switch {
	case err != nil && (c.Discord != nil || c.Browser != nil):
		return nil, err // the error says what to install
	case err != nil:
		lib = nil // the report says so
	}
	say := func(text string) {
		if c.Say != nil {
			c.Say(fmt.Sprintf("%d tables: %s", load.Tables, text))
		}
	}
	detection, err := providers.OpenDetection(config.Hearing{Detection: cmp.Or(c.Detection, config.DetectionAuto)}, func(err error) {
		say(fmt.Sprintf("voice detection by silero failed, and energy does it from now on: %v", err))
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, detection.Close()) }()
	return Run(ctx, load, Parts{Host: host, Log: store, Graph: store}, &Options{Library: lib, Detection: detection, Seed: c.Seed, Discord: c.Discord, Browser: c.Browser, Tell: say})
}

// report prints the report and draws the plot, unless the report is empty.
func (c Command) report(results []*Result, plot *picture) error {
	if len(results) == 0 {
		return nil
	}
	var reports []Report
	var points []Point
	var frames uint64
	for _, r := range results {
		reports = append(reports, r.Report)
		points = append(points, r.Report.Point())
		frames += r.Report.Frames
	}
	x := "tables"
	encoder := json.NewEncoder(c.Out)
	encoder.SetIndent("", "  ")
	var err error
	if len(c.Sweep) > 0 {
		err = encoder.Encode(reports)
	} else {
		x, points = "minutes", results[0].Points
		err = encoder.Encode(reports[0])
	}
	if frames == 0 {
		return err
	}
	return errors.Join(err, plot.draw(x, points))
}
