package main_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// traced holds the fields of an audit record that concern refusals.
type traced struct {
	Who, Tool, Rule, Code, Decision, Profile, Transport, Error, Approval string
	DecidedBy                                                            string `json:"decided_by"`
	Times                                                                int
}

// refusals reads the refused calls from the audit log, oldest first.
func (o *outward) refusals(args map[string]any) []traced {
	o.t.Helper()
	args["denied"], args["limit"] = true, 500
	var log struct{ Records []traced }
	res := try(o.t, o.web(secret("master")).stateless(), "audit_query", args)
	if err := json.Unmarshal(res.StructuredContent, &log); err != nil {
		o.t.Fatalf("%v: %s", err, res.StructuredContent)
	}
	slices.Reverse(log.Records)
	return log.Records
}

var denialLine = regexp.MustCompile(`(?m)^glyphoxa_denials_total\{(.*)\} (\d+)$`)

// denials sums a caller's refused calls in the metric.
func (o *outward) denials(caller string) (n int) {
	o.t.Helper()
	for _, m := range denialLine.FindAllStringSubmatch(o.get("/metrics", secret("master")), -1) {
		if strings.Contains(m[1], `caller="`+caller+`"`) {
			count, err := strconv.Atoi(m[2])
			if err != nil {
				o.t.Fatal(err)
			}
			n += count
		}
	}
	return n
}

// probe is one attempt to use something hidden.
type probe struct {
	name, client string
	try          func(t testing.TB, o *outward, token string)
	tool, rule   string // as recorded
	code         string
}

// callOver tries a tool over a WebSocket, and requires that it is unknown.
func callOver(tool string) func(testing.TB, *outward, string) {
	return func(t testing.TB, o *outward, token string) {
		t.Helper()
		if got := try(t, o.in(t).socket(token).handshake(), tool, map[string]any{}); !got.unknown {
			t.Errorf("the answer is %+v, want an unknown tool", got)
		}
	}
}

// askRefused sends a request that has to fail.
func askRefused(method string, params any) func(testing.TB, *outward, string) {
	return func(t testing.TB, o *outward, token string) {
		t.Helper()
		if r := o.in(t).socket(token).handshake().ask(method, params); r.Error == nil {
			t.Errorf("%s is answered: %s", method, r.Result)
		}
	}
}

func probes() []probe {
	return []probe{
		{"by name", "stranger", callOver("write_file"), "write_file", "profile", "forbidden"},
		{"over HTTP", "stranger", func(t testing.TB, o *outward, token string) {
			if got := try(t, o.in(t).web(token).stateless(), "write_file", map[string]any{}); !got.unknown {
				t.Errorf("the answer is %+v, want an unknown tool", got)
			}
		}, "write_file", "profile", "forbidden"},
		{"in the older dialect", "stranger", func(t testing.TB, o *outward, token string) {
			if r := o.in(t).socket(token).bind("player.limited").ask("callTool", map[string]any{"name": "write_file", "arguments": map[string]any{}}); r.Error == nil {
				t.Errorf("it is answered: %s", r.Result)
			}
		}, "write_file", "profile", "forbidden"},
		{"a workflow", "stranger", callOver("keep_note"), "keep_note", "profile", "forbidden"},
		{"deciding on approvals", "asker", callOver("decide_approval"), "decide_approval", "profile", "forbidden"},
		{"under a restriction", "builder", callOver("write_file"), "write_file", "no-writing", "forbidden"},
		{"under a revoked permission", "lapsed", callOver("roll"), "roll", "barred", "forbidden"},
		{"out of hours", "owl", callOver("roll"), "roll", "night", "forbidden"},
		{"in a batch", "builder", func(t testing.TB, o *outward, token string) {
			var report struct{ Failed int }
			got := try(t, o.in(t).socket(token).handshake(), "batch", map[string]any{"operations": []any{map[string]any{"tool": "write_file", "arguments": map[string]any{}}}})
			if err := json.Unmarshal(got.StructuredContent, &report); err != nil || report.Failed != 1 {
				t.Errorf("the batch = %s, %v, want one failure", got.StructuredContent, err)
			}
			if slices.Contains(got.Meta.Events, "tool.refused") {
				t.Errorf("the caller is told %v, want nothing that tells a hidden tool from none", got.Meta.Events)
			}
		}, "write_file", "no-writing", "forbidden"},
		{"by its description", "builder", func(t testing.TB, o *outward, token string) {
			if got := try(t, o.in(t).socket(token).handshake(), "describe_tool", map[string]any{"name": "write_file"}); got.code() != "not_found" {
				t.Errorf("the answer is %+v, want not_found", got)
			}
		}, "write_file", "no-writing", "forbidden"},
		{"a resource", "stranger", askRefused("resources/read", map[string]any{"uri": "glyphoxa://entities"}), "resources/read", "profile", "forbidden"},
		{"a subscription", "stranger", askRefused("resources/subscribe", map[string]any{"uri": "glyphoxa://scene"}), "resources/subscribe", "profile", "forbidden"},
		{"a prompt", "stranger", askRefused("prompts/get", map[string]any{"name": "session_recap"}), "prompts/get", "profile", "forbidden"},
		{"the world", "stranger", askRefused("state/subscribe", map[string]any{}), "state/subscribe", "profile", "forbidden"},
		{"an area of the world", "stranger", askRefused("aoi/declare", map[string]any{"center": []int{0, 0, 0}, "radius": 1}), "aoi/declare", "profile", "forbidden"},
		{"what does not exist", "stranger", callOver("summon_dragon"), "summon_dragon", "", "not_found"},
	}
}

const keepNote = "description: Keep a note.\nsteps:\n  - {id: kept, tool: write_file, with: {path: a.txt, content: x}}\n"

// TestRefusalsLeaveATrace checks that the audit log and the metric count each
// attempt to use something hidden, with its rule, while the client learns
// nothing from it.
func TestRefusalsLeaveATrace(t *testing.T) {
	t.Parallel()
	o := newPolicyProgram(t, func(h *program) { h.write("workflows/keep_note.yaml", keepNote) })
	tried := map[string]int{}
	for _, p := range probes() {
		t.Run(p.name, func(t *testing.T) {
			o := o.in(t)
			before := len(o.refusals(map[string]any{"who": p.client}))
			p.try(t, o, secret(p.client))
			tried[p.client]++
			all := o.refusals(map[string]any{"who": p.client})
			if len(all) != before+1 {
				t.Fatalf("%d records of refusals, want %d: %+v", len(all), before+1, all)
			}
			r := all[before]
			if r.Tool != p.tool || r.Rule != p.rule || r.Code != p.code || r.Decision != "denied" || r.Profile == "" || r.Transport == "" || r.Error == "" {
				t.Errorf("the record is %+v, want %s refused by %q with %s", r, p.tool, p.rule, p.code)
			}
		})
	}
	for client, n := range tried {
		if got := o.denials(client); got != n {
			t.Errorf("the metric counts %d refusals of %s, want %d", got, client, n)
		}
	}
}

// TestRefusalsLeaveATraceInCompactMode checks the same where clients see two
// tools.
func TestRefusalsLeaveATraceInCompactMode(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.configure("policy.yaml")
	h.set("FROM", "00:00")
	h.set("TO", "00:01")
	full := h.serve("--compact")
	builder := full.socket(secret("builder")).handshake()
	if got := try(t, builder, "invoke_program", map[string]any{"id": "write_file", "input": map[string]any{}}); got.code() != "not_found" {
		t.Errorf("the hidden program = %+v, want not_found", got)
	}
	if got := try(t, builder, "roll", d6); !got.unknown {
		t.Errorf("a program called directly = %+v, want it unknown", got)
	}
	var log struct {
		Result struct{ Records []traced }
	}
	res := try(t, full.socket(secret("master")).handshake(), "invoke_program", map[string]any{"id": "audit_query", "input": map[string]any{"denied": true, "who": "builder"}})
	if err := json.Unmarshal(res.StructuredContent, &log); err != nil {
		t.Fatalf("%v: %s", err, res.StructuredContent)
	}
	want := []string{"roll//not_found", "write_file/no-writing/forbidden"}
	var got []string
	for _, r := range log.Result.Records {
		got = append(got, r.Tool+"/"+r.Rule+"/"+r.Code)
	}
	if !slices.Equal(got, want) {
		t.Errorf("refused: %q, want %q", got, want)
	}
	if n := full.denials("builder"); n != len(want) {
		t.Errorf("the metric counts %d, want %d", n, len(want))
	}
}

// TestProbingFillsNoLog checks that endless attempts are all counted, but in
// few records, so that they do not bury those of other clients.
func TestProbingFillsNoLog(t *testing.T) {
	t.Parallel()
	o := newPolicyProgram(t)
	callOver("write_file")(t, o, secret("stranger"))
	const tries = 400
	mallory := o.socket(secret("flood")).handshake()
	for range tries {
		if r := mallory.ask("tools/call", map[string]any{"name": "write_file", "arguments": map[string]any{}}); r.Error == nil {
			t.Fatalf("it is answered: %s", r.Result)
		}
	}
	callOver("write_file")(t, o, secret("stranger"))
	all, told := o.refusals(map[string]any{"who": "flood"}), 0
	for _, r := range all {
		told += max(r.Times, 1)
	}
	if told != tries || len(all) > 100 {
		t.Errorf("%d records of %d refusals, want at most 100 of %d", len(all), told, tries)
	}
	if got := o.denials("flood"); got != tries {
		t.Errorf("the metric counts %d refusals, want %d", got, tries)
	}
	if got := o.refusals(map[string]any{"who": "stranger"}); len(got) != 2 {
		t.Errorf("the records of another caller are %+v, want two", got)
	}
}

// TestDecisionsAreTraced checks the record of who approved or rejected a call,
// and of calls that expired undecided.
func TestDecisionsAreTraced(t *testing.T) {
	t.Parallel()
	o := newPolicyProgram(t)
	asker, master := o.socket(secret("asker")).handshake(), o.socket(secret("master")).handshake()
	ask := func(text string) outcome { return try(t, asker, "set_scene", scene(text)) }
	var ids []string
	for i, grant := range []bool{true, false} {
		text := []string{"Dusk.", "Dawn."}[i]
		id := ask(text).Meta.Error.ApprovalID
		ids = append(ids, id)
		if got := try(t, master, "decide_approval", map[string]any{"id": id, "grant": grant}).code(); got != "" {
			t.Fatalf("deciding ends in %q", got)
		}
		ask(text)
	}
	var log struct{ Records []traced }
	res := try(t, master, "audit_query", map[string]any{"who": "asker"})
	if err := json.Unmarshal(res.StructuredContent, &log); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(log.Records)
	var got []string
	for _, r := range log.Records {
		got = append(got, strings.Join([]string{r.Tool, r.Decision, r.Approval, r.DecidedBy, r.Rule}, " "))
	}
	want := []string{
		"set_scene pending " + ids[0] + "  ask-me", "set_scene granted " + ids[0] + " master ", "set_scene allowed " + ids[0] + " master ",
		"set_scene pending " + ids[1] + "  ask-me", "set_scene rejected " + ids[1] + " master ", "set_scene denied " + ids[1] + " master ask-me",
	}
	if !slices.Equal(got, want) {
		t.Errorf("records:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	hasty := try(t, o.socket(secret("hasty")).handshake(), "set_scene", scene("Noon.")).Meta.Error
	if hasty.Code != "forbidden" {
		t.Errorf("a call nobody decides on = %+v", hasty)
	}
	if all := o.refusals(map[string]any{"who": "hasty"}); len(all) != 1 || all[0].Rule != "ask-soon" || all[0].Approval == "" || all[0].DecidedBy != "" {
		t.Errorf("the records of a call nobody decided on = %+v, want one refusal under its approval", all)
	}
}
