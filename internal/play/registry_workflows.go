package play

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/workflow"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// workflows keeps the registry's workflows up to date with their files and with the tools that they use. It
// is safe for concurrent use.
type workflows struct {
	host   *mcphost.Host
	server config.Server
	source fs.FS
	runs   workflow.Runs // runs that wait for approval

	mu    sync.Mutex // guards the fields below; held while the registry is changed
	all   []*workflow.Workflow
	shown string // the state that was registered last
}

// WorkflowNames returns the names of the workflows in a directory. If a file is invalid, it returns the names
// of the files; the errors are reported when the workflows are loaded.
func WorkflowNames(fsys fs.FS, dir string) []string {
	all, err := LoadWorkflows(config.Server{Workflows: dir}, fsys)
	if err != nil {
		return workflowFileNames(fsys, dir)
	}
	var names []string
	for _, w := range all {
		names = append(names, w.Name)
	}
	return names
}

func workflowFileNames(fsys fs.FS, dir string) []string {
	if fsys == nil {
		fsys, dir = userfile.Dir(dir), "."
	}
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), path.Ext(e.Name())))
	}
	return names
}

// LoadWorkflows reads the workflow files of a configuration.
func LoadWorkflows(server config.Server, source fs.FS) ([]*workflow.Workflow, error) {
	if server.Workflows == "" {
		return nil, nil
	}
	var all []*workflow.Workflow
	var err error
	if source != nil {
		all, err = workflow.LoadFS(source, server.Workflows)
	} else {
		all, err = workflow.Load(server.Workflows)
	}
	if err != nil {
		return nil, err
	}
	var taken userfile.Problems
	tools := BuiltinNames()
	for _, w := range all {
		if slices.Contains(tools, w.Name) {
			taken = append(taken, userfile.Problem{File: w.File, Line: 1, What: fmt.Sprintf("a tool is already called %q", w.Name), Fix: "give the workflow another name"})
		}
	}
	return all, taken.Err()
}

// readFiles reads the files again and registers the workflows in them. If a file is invalid, nothing changes.
func (w *workflows) readFiles() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	all, err := LoadWorkflows(w.server, w.source)
	if err != nil {
		return err
	}
	before := w.all
	w.all = all
	if err := w.registerTools(); err != nil {
		w.all = before
		return errors.Join(fmt.Errorf("%w; rename the workflow", err), w.registerTools())
	}
	return nil
}

// registerTools registers the workflows as tools, based on the tools in the registry now. The caller holds
// mu.
func (w *workflows) registerTools() error {
	var defs []mcphost.BuiltinTool
	var shown strings.Builder
	for _, one := range w.all {
		t := one.Tool(lookup{w.host}, &w.runs)
		defs = append(defs, t)
		fmt.Fprintln(&shown, one.Sum(), t.Definition.Name, t.ReadOnly, t.Definition.Idempotent, t.Definition.MaxDurationMs, t.Definition.Description, t.Definition.Parameters, t.Needs)
	}
	if w.shown == shown.String() {
		return nil
	}
	if err := w.host.ReplaceWorkflows(defs...); err != nil {
		return err
	}
	w.shown = shown.String()
	return nil
}

// followTools registers the workflows again when the tools in the registry change, until ctx ends.
func (w *workflows) followTools(ctx context.Context, failed func(error)) {
	for {
		changed := w.host.Changed()
		w.mu.Lock()
		err := w.registerTools()
		w.mu.Unlock()
		if err != nil && !errors.Is(err, mcp.ErrClosed) {
			failed(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}

// unfinishedWorkflows describes the workflows that wait for tools that no server offers.
func (w *workflows) unfinishedWorkflows() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	known := w.host.Names()
	var all []string
	for _, one := range w.all {
		if names := one.Missing(known); len(names) > 0 {
			all = append(all, fmt.Sprintf("the workflow %s (%s) is waiting for tools that no server offers: %s", one.Name, one.File, strings.Join(names, ", ")))
		}
	}
	return all
}

// lookup lets workflows look up tools in the host.
type lookup struct{ host *mcphost.Host }

func (r lookup) Lookup(name string) (t mcp.Target, p50, deadline time.Duration, idempotent, ok bool) {
	tool, ok := r.host.Tool(name)
	if !ok {
		return mcp.Target{}, 0, 0, false, false
	}
	return tool.Target, tool.Latency(), tool.Deadline, tool.Definition.Idempotent, true
}
