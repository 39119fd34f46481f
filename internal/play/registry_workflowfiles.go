package play

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
)

// lookEvery is how often the workflows' directory is looked at for files that are new,
// changed or gone.
const lookEvery = time.Second

// followFiles reads the workflow files anew when one of them changes, until ctx ends.
// Files that are wrong are told of once, and leave everything as it was. What came with
// the program does not change.
func (w *workflows) followFiles(ctx context.Context, failed func(error)) {
	if w.source != nil || w.server.Workflows == "" {
		return
	}
	known := "" // files may have come since they were read
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

// filesSeen tells states of a directory apart: its files' names, sizes and times. One that
// cannot be read is as one without files.
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
