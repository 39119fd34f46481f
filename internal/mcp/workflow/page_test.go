package workflow_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/mcp/workflow"
)

var (
	example   = regexp.MustCompile("(?s)```yml\n# workflows/(\\S+)\n(.*?)```")
	jsonBlock = regexp.MustCompile("(?s)```json\n(.*?)```")
	durations = regexp.MustCompile(`"ms": ?[0-9.]+`)
)

// TestPageIsTrue runs the example of docs/workflows.md and compares everything except
// durations.
func TestPageIsTrue(t *testing.T) {
	page := readFile(t, "../../../docs/workflows.md")
	file, blocks := example.FindStringSubmatch(page), jsonBlock.FindAllStringSubmatch(page, -1)
	if file == nil || len(blocks) != 3 {
		t.Fatalf("example %v and %d blocks of JSON, want one and 3", file, len(blocks))
	}
	w, err := workflow.Parse(file[1], []byte(file[2]))
	check(t, err)
	h, _ := table(t)
	check(t, h.ReplaceWorkflows(w.Tool(registry{h}, nil)))
	res, err := h.ExecuteTool(t.Context(), w.Name, blocks[0][1])
	check(t, err)

	plain := func(text string) (v any) {
		check(t, json.Unmarshal([]byte(durations.ReplaceAllString(text, `"ms":0`)), &v))
		return v
	}
	if diff := cmp.Diff(plain(blocks[1][1]), plain(res.Text)); diff != "" {
		t.Errorf("result (-page +got):\n%s\n%s", diff, res.Text)
	}

	if res, err = h.ExecuteTool(t.Context(), workflow.BatchName, blocks[2][1]); err != nil || !told(t, res).OK {
		t.Errorf("the batch: %v\n%s", err, res.Text)
	}
}

// TestPageNamesTheFunctions compares the functions on the page with those that compile.
func TestPageNamesTheFunctions(t *testing.T) {
	page := readFile(t, "../../../docs/workflows.md")
	_, rest, ok := strings.Cut(page, "Expressions can call ")
	list, _, ended := strings.Cut(rest, ". There is no clock")
	if !ok || !ended {
		t.Fatal("the page does not list the functions")
	}
	_, err := workflow.Parse("w.yaml", []byte(short("output: '{{ qqqqqqqqqqq() }}'\n")))
	_, known, ok := strings.Cut(err.Error(), "; use ")
	if !ok {
		t.Fatalf("the problem %v lists no functions", err)
	}
	var named []string
	for _, m := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(list, -1) {
		named = append(named, m[1])
	}
	want := strings.Split(known, ", ")
	slices.Sort(want)
	slices.Sort(named)
	if diff := cmp.Diff(want, named); diff != "" {
		t.Errorf("functions (-there +page):\n%s", diff)
	}
}
