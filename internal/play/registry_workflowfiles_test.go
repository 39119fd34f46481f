package play

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/diceroller"
)

// rolls answers every call.
type rolls struct{}

func (rolls) Execute(context.Context, string, string) (mcp.Result, error) {
	return mcp.Result{Text: "3"}, nil
}

// TestWorkflowFilesAreFollowed adds, changes, breaks and removes workflow files: each change
// takes effect within two seconds, and an error is reported once and changes nothing.
func TestWorkflowFilesAreFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		host := mcphost.New()
		if err := host.RegisterBuiltin(diceroller.Tools()...); err != nil {
			t.Fatal(err)
		}
		w := &workflows{host: host, server: config.Server{Workflows: dir}}
		if err := w.readFiles(); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		var told []string
		go func() {
			defer close(done)
			w.followFiles(ctx, func(err error) { told = append(told, err.Error()) })
		}()
		file := filepath.Join(dir, "hello.yaml")
		const good = "description: %\nsteps:\n  - {id: one, tool: roll}\n"
		write := func(text string) {
			t.Helper()
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Second)
			synctest.Wait()
		}
		is := func(what, description string) {
			t.Helper()
			got, there := host.Registered("hello")
			if there != (description != "") || there && got.Definition.Description != description {
				t.Errorf("%s: %+v, want the description %q", what, got.Definition, description)
			}
		}
		is("before", "")
		write(strings.Replace(good, "%", "First.", 1))
		is("a new file", "First.")
		write(strings.Replace(good, "%", "The second.", 1))
		is("a changed file", "The second.")
		write(strings.Replace(good, "%", "The second.", 1) + "output: changed\n")
		changed, _ := host.Registered("hello")
		if res, err := changed.Respond(mcp.WithExecutor(t.Context(), rolls{}), "{}"); err != nil || !strings.Contains(res.Text, `"output":"changed"`) {
			t.Errorf("a file that does something else under the same description answers %q, %v", res.Text, err)
		}
		write("steps: nonsense\n")
		time.Sleep(5 * time.Second)
		synctest.Wait()
		is("a wrong file", "The second.")
		if len(told) != 1 || !strings.Contains(told[0], "hello.yaml") {
			t.Errorf("told %q, want once what is wrong", told)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		is("a file that is gone", "")
		stop()
		<-done
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
}
