package main_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// need is the permission a tool requires.
type need struct {
	permissions []string
	writes      bool
	workflow    bool
}

// registry lists every tool of the houses in this file and its permission,
// independently of the program.
var registry = map[string]need{
	"roll":            {permissions: []string{"dice.roll"}},
	"roll_table":      {permissions: []string{"dice.roll"}},
	"search_rules":    {permissions: []string{"rules.read"}},
	"get_rule":        {permissions: []string{"rules.read"}},
	"search_sessions": {permissions: []string{"memory.read"}},
	"search_facts":    {permissions: []string{"memory.read"}},
	"investigate":     {permissions: []string{"memory.read"}},
	"query_entities":  {permissions: []string{"memory.read"}},
	"get_summary":     {permissions: []string{"memory.read"}},
	"remember_fact":   {permissions: []string{"memory.write"}, writes: true},
	"describe_scene":  {permissions: []string{"world.read"}},
	"set_scene":       {permissions: []string{"world.write"}, writes: true},
	"place_entity":    {permissions: []string{"world.write"}, writes: true},
	"move_entity":     {permissions: []string{"world.write"}, writes: true},
	"update_entity":   {permissions: []string{"world.write"}, writes: true},
	"remove_entity":   {permissions: []string{"world.write"}, writes: true},
	"relate_entities": {permissions: []string{"world.write"}, writes: true},
	"read_file":       {permissions: []string{"files.read"}},
	"write_file":      {permissions: []string{"files.write"}, writes: true},
	"audit_query":     {permissions: []string{"audit.read"}},
	"audit_usage":     {permissions: []string{"audit.read"}},
	"list_approvals":  {permissions: []string{"session.control"}},
	"decide_approval": {permissions: []string{"session.control"}, writes: true},
	"peek":            {permissions: []string{"external.call"}},
	"deliver":         {permissions: []string{"external.call"}, writes: true},
	"batch":           {},
	"luck":            {permissions: []string{"dice.roll", "rules.read"}, workflow: true},
	"note":            {permissions: []string{"dice.roll", "files.write"}, writes: true, workflow: true},
	"errand":          {permissions: []string{"dice.roll", "external.call"}, writes: true, workflow: true},
	"outing":          {permissions: []string{"dice.roll", "files.write"}, writes: true, workflow: true},
}

// flows are the workflows among them.
var flows = map[string]string{
	"luck":   "name: luck\ndescription: Rolls, then looks up a rule.\nsteps: [{id: a, tool: roll, with: {expression: d6}}, {id: b, tool: search_rules, with: {query: blinded}}]\n",
	"note":   "name: note\ndescription: Rolls and writes it down.\nsteps: [{id: a, tool: roll, with: {expression: d6}}, {id: b, tool: write_file, with: {path: note.txt, content: rolled}}]\n",
	"errand": "name: errand\ndescription: Rolls and has something delivered.\nsteps: [{id: a, tool: roll, with: {expression: d6}}, {id: b, tool: deliver}]\n",
	"outing": "name: outing\ndescription: Runs another workflow.\nsteps: [{id: a, tool: note}]\n",
}

var readers = []string{"dice.roll", "rules.read", "memory.read", "world.read", "npc.read", "session.read"}

// profiles lists all profiles and what they allow, as in docs/outward.md.
var profiles = map[string][]string{
	"player.limited":    {"dice.roll", "rules.read"},
	"system.readonly":   readers,
	"player.full":       slices.Concat(readers, []string{"external.call"}),
	"npc.agent":         {"dice.roll", "rules.read", "memory.read", "world.read", "world.write", "files.read", "external.call"},
	"reviewer":          slices.Concat(readers, []string{"files.read", "audit.read"}),
	"builder.readWrite": slices.Concat(readers, []string{"memory.write", "world.write", "files.read", "files.write", "external.call"}),
	"dm":                slices.Concat(readers, []string{"memory.write", "world.write", "files.read", "files.write", "external.call", "audit.read", "npc.control", "session.control"}),
	"table.scribe":      {"dice.roll", "files.write"},
}

// variant is one way to run the server.
type variant struct {
	name               string
	args               []string
	env                map[string]string
	readOnly           bool
	compact, prefixing bool
}

var variants = []variant{
	{name: "plain"},
	{name: "read-only flag", args: []string{"--read-only"}, readOnly: true},
	{name: "read-only variable", env: map[string]string{"READ_ONLY_MODE": "true"}, readOnly: true},
	{name: "compact", args: []string{"--compact"}, compact: true},
	{name: "prefixed", env: map[string]string{"NAMING": "prefixed"}, prefixing: true},
}

// program prepares a machine for the variant.
func (v variant) program(t testing.TB, annex string) *program {
	t.Helper()
	h := newProgram(t)
	h.configure("rights.yaml")
	for name, text := range flows {
		h.write("workflows/"+name+".yaml", text)
	}
	h.set("ANNEX", annex)
	for name, value := range v.env {
		h.set(name, value)
	}
	return h
}

// outward is a tool's name for clients.
func (v variant) outward(name string) string {
	switch {
	case !v.prefixing:
		return name
	case registry[name].workflow:
		return "workflow:" + name
	}
	return "skill:" + name
}

// may reports whether a profile may call a tool.
func (v variant) may(profile, name string) bool {
	n := registry[name]
	if n.writes && v.readOnly {
		return false
	}
	return !slices.ContainsFunc(n.permissions, func(p string) bool { return !slices.Contains(profiles[profile], p) })
}

// allowed returns the registered names of the tools a profile may call, sorted.
func (v variant) allowed(profile string) []string {
	var all []string
	for name := range registry {
		if v.may(profile, name) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// own returns the server's own tools by their outward names.
func (v variant) own() []string {
	switch {
	case v.compact:
		return []string{"list_programs", "invoke_program"}
	case v.prefixing:
		return []string{"skill:search_tools", "skill:describe_tool"}
	}
	return []string{"search_tools", "describe_tool"}
}

// TestRightsMatrix tries every profile, tool, transport and way to run the
// server together: listed tools are callable, unlisted ones unknown, and both
// match the profile exactly.
func TestRightsMatrix(t *testing.T) {
	t.Parallel()
	annex := newAnnex(t)
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			server := v.program(t, annex).serve(v.args...)
			for _, profile := range slices.Sorted(maps.Keys(profiles)) {
				token := secret(profile)
				for transport, open := range map[string]func(testing.TB) talker{
					"http in sessions":   func(t testing.TB) talker { return server.in(t).web(token).handshake() },
					"http newest":        func(t testing.TB) talker { return server.in(t).web(token).stateless() },
					"websocket":          func(t testing.TB) talker { return server.in(t).socket(token).handshake() },
					"websocket, dialect": func(t testing.TB) talker { return dialectTalker{server.in(t).socket(token).bind(profile)} },
					"stdio": func(t testing.TB) talker {
						s, _ := v.program(t, annex).stdio(append(v.args, "--profile", profile)...)
						return s.handshake()
					},
					"stdio, dialect": func(t testing.TB) talker {
						s, _ := v.program(t, annex).stdio(append(v.args, "--profile", profile)...)
						return dialectTalker{s.bind(profile)}
					},
				} {
					t.Run(profile+" over "+transport, func(t *testing.T) {
						often := profile == "dm" || profile == "player.limited" && v.name == "plain"
						if testing.Short() && !often && strings.HasPrefix(transport, "stdio") {
							t.Skip("each is a program of its own; make test-all runs them all")
						}
						cell{t: t, v: v, profile: profile, talker: open(t)}.check()
					})
				}
			}
		})
	}
}

// in returns the server for use in another test.
func (o *outward) in(t testing.TB) *outward {
	return &outward{t: t, h: o.h, addr: o.addr}
}

// dialectTalker speaks the older dialect, whose error codes differ from those
// of MCP.
type dialectTalker struct{ *stream }

// notFound reports whether a call failed because of an unknown name.
func notFound(r reply) bool {
	return r.Error != nil && (r.Error.Code == -32601 || r.Error.Code == -32602 && strings.HasPrefix(r.Error.Message, "unknown tool"))
}

// cell is one cell of the matrix.
type cell struct {
	t testing.TB
	talker
	v       variant
	profile string
}

func (c cell) check() {
	c.t.Helper()
	want := c.v.own()
	if !c.v.compact {
		for _, name := range c.v.allowed(c.profile) {
			want = append(want, c.v.outward(name))
		}
	}
	slices.Sort(want)
	c.await(want, c.surface)
	for _, name := range c.names() {
		r := c.ask("tools/call", map[string]any{"name": name, "arguments": map[string]any{}})
		if got, listed := !notFound(r), slices.Contains(want, name); got != listed {
			c.t.Errorf("%s: callable is %v, listed is %v; answer %s %+v", name, got, listed, r.Result, r.Error)
		}
	}
	if c.v.compact {
		c.programs()
	} else {
		c.batch()
	}
}

// names are all names worth trying.
func (c cell) names() []string {
	all := []string{"ghost", "skill:", "workflow:roll", "skill:note", "search_tools", "describe_tool", "list_programs", "invoke_program", "skill:search_tools"}
	for name := range registry {
		all = append(all, name, "skill:"+name)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// settled bounds the time until a list is complete, because external servers
// connect after the start.
const settled = time.Minute

// await lists until the list equals want.
func (c cell) await(want []string, list func() []string) {
	c.t.Helper()
	var got []string
	for start := time.Now(); time.Since(start) < settled; {
		if got = list(); slices.Equal(got, want) {
			return
		}
		if slices.Contains(got, c.v.outward("peek")) == slices.Contains(want, c.v.outward("peek")) {
			break // no missing tool can still arrive
		}
	}
	c.t.Fatalf("listed are %q, want %q", got, want)
}

// surface returns the tools in tools/list.
func (c cell) surface() []string {
	c.t.Helper()
	var page struct {
		Tools []struct {
			Name string
		}
		NextCursor string
	}
	c.ask("tools/list", map[string]any{}).into(c.t, &page)
	if page.NextCursor != "" {
		c.t.Fatalf("the list goes on at %q; all fits one page", page.NextCursor)
	}
	var names []string
	for _, tool := range page.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names
}

// structured calls a tool and decodes its structured answer, in either dialect.
func (c cell) structured(name string, args, into any) {
	c.t.Helper()
	var res struct {
		StructuredContent json.RawMessage
		Result            json.RawMessage
	}
	r := c.ask("tools/call", map[string]any{"name": name, "arguments": args})
	if r.Error != nil { // a failure in the dialect
		res.Result = r.Error.Data
	} else {
		r.into(c.t, &res)
	}
	raw := res.StructuredContent
	if raw == nil {
		raw = res.Result
	}
	if err := json.Unmarshal(raw, into); err != nil {
		c.t.Fatalf("%s answers %s %+v: %v", name, r.Result, r.Error, err)
	}
}

// batch requires that a batch can call exactly the listed tools.
func (c cell) batch() {
	c.t.Helper()
	var operations []any
	var tried []string
	for name := range registry {
		if name != "batch" {
			tried = append(tried, name)
			operations = append(operations, map[string]any{"tool": c.v.outward(name)})
		}
	}
	var report struct {
		Results []struct {
			Tool  string
			OK    bool
			Error *struct{ Code string }
		}
	}
	c.structured(c.v.outward("batch"), map[string]any{"operations": operations}, &report)
	if len(report.Results) != len(tried) {
		c.t.Fatalf("the batch has %d results, want %d", len(report.Results), len(tried))
	}
	for i, r := range report.Results {
		reached := r.OK || r.Error.Code != "not_found"
		if may := c.v.may(c.profile, tried[i]); reached != may {
			c.t.Errorf("batch reaches %s: %v, want %v (%+v)", tried[i], reached, may, r.Error)
		}
	}
}

// programs requires the same of compact mode's programs.
func (c cell) programs() {
	c.t.Helper()
	want := c.v.allowed(c.profile)
	c.await(want, func() []string {
		var page struct{ Programs []struct{ ID string } }
		c.structured("list_programs", map[string]any{"limit": 100}, &page)
		var ids []string
		for _, p := range page.Programs {
			ids = append(ids, p.ID)
		}
		return ids
	})
	for _, id := range c.names() {
		var res struct {
			Error struct {
				Type string `json:"error_type"`
				Code string // in the dialect
			}
		}
		c.structured("invoke_program", map[string]any{"id": id, "input": map[string]any{}}, &res)
		unknown := res.Error.Type == "not_found" || res.Error.Code == "not_found"
		if may := slices.Contains(want, id); unknown == may {
			c.t.Errorf("invoke_program reaches %q: %v, want %v", id, !unknown, may)
		}
	}
}
