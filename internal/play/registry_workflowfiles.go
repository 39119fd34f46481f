package play

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
)

// lookEvery is how often the workflow directory is checked for new, changed and removed files.
const lookEvery = time.Second

// followFiles reads the workflow files again when one of them changes, until ctx ends. Each invalid state is
// reported once and changes nothing. Workflows that come with the program do not change.
func (w *workflows) followFiles(ctx context.Context, failed func(error)) {
	if w.source != nil || w.server.Workflows == "" {
		return
	}
	known := "" // files may have changed since they were read
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := filesSeen(w.server.Workflows)
		if now == known {
			continue
		}
		known = now
		if err := w.readFiles(); err != nil && ctx.Err() == nil {
			failed(err)
		}
	}
}

// filesSeen returns a text that identifies the state of a directory: the names, sizes and times of its files.
// A directory that cannot be read counts as empty.
func filesSeen(dir string) string {
	entries, _ := os.ReadDir(dir)
	var seen strings.Builder
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			fmt.Fprintln(&seen, e.Name(), info.Size(), info.ModTime().UnixNano())
		}
	}
	return seen.String()
}
