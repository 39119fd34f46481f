package workflow

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// Load reads every *.yaml and *.yml file in the folder dir, in order of file name. If the folder does not
// exist, there are no workflows. If any file has a problem, Load returns no workflows and all problems at
// once as a userfile.Problems.
func Load(dir string) ([]*Workflow, error) {
	return load(userfile.Dir(dir), ".", func(name string) string { return filepath.Join(dir, name) })
}

// LoadFS is like [Load], but reads from a folder of fsys.
func LoadFS(fsys fs.FS, dir string) ([]*Workflow, error) {
	return load(fsys, dir, func(name string) string { return path.Join(dir, name) })
}

func load(fsys fs.FS, dir string, shown func(name string) string) ([]*Workflow, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading workflows: %w", err)
	}
	var all []*Workflow
	var problems userfile.Problems
	for _, e := range entries {
		if !isWorkflow(e) {
			continue
		}
		if len(all) == MaxFiles {
			problems.Add(shown("."), 0, fmt.Sprintf("there are more than %d workflows", MaxFiles), "remove some")
			break
		}
		data, err := userfile.ReadFS(fsys, path.Join(dir, e.Name()), MaxFile)
		if errors.Is(err, userfile.ErrTooLarge) {
			problems.Add(shown(e.Name()), 1, fmt.Sprintf("the file is larger than %d KiB", MaxFile>>10), "split it, or check that it is the right file")
			continue
		}
		if err != nil {
			problems.Add(shown(e.Name()), 0, err.Error(), "")
			continue
		}
		w, found := parse(shown(e.Name()), data)
		problems = append(problems, found...)
		all = append(all, w)
	}
	checkNames(all, &problems)
	checkCycles(all, &problems)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return all, nil
}

func isWorkflow(e fs.DirEntry) bool {
	ext := path.Ext(e.Name())
	return !e.IsDir() && !strings.HasPrefix(e.Name(), ".") && (ext == ".yaml" || ext == ".yml")
}

// checkNames reports workflows that share a name.
func checkNames(all []*Workflow, problems *userfile.Problems) {
	first := map[string]*Workflow{}
	for _, w := range all {
		if other, ok := first[w.Name]; ok && w.Name != "" {
			problems.Add(w.File, w.nameLine, fmt.Sprintf("there is already a workflow %q, in %s", w.Name, other.File), "give one another name")
			continue
		}
		first[w.Name] = w
	}
}

// checkCycles reports each step through which a workflow would end up calling itself.
func checkCycles(all []*Workflow, problems *userfile.Problems) {
	named := map[string]*Workflow{}
	for _, w := range all {
		if w.Name != "" {
			named[w.Name] = w
		}
	}
	const underway, done = 1, 2
	state := map[*Workflow]int{}
	var visit func(w *Workflow, trail []string)
	visit = func(w *Workflow, trail []string) {
		state[w] = underway
		trail = append(trail, w.Name)
		for _, s := range w.steps() {
			next := named[s.tool]
			switch {
			case next == nil:
			case state[next] == underway:
				from := 0
				for trail[from] != next.Name {
					from++
				}
				problems.Add(w.File, s.line, "the workflow calls itself: "+strings.Join(append(trail[from:len(trail):len(trail)], next.Name), " → "), "remove one of the calls")
			case state[next] != done:
				visit(next, trail)
			}
		}
		state[w] = done
	}
	for _, w := range all {
		if state[w] == 0 {
			visit(w, nil)
		}
	}
}
