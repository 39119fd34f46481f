//go:build unix

package main_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestForgettingToolNames checks the explanation for a tool's long name after
// the conflicting server is gone, and how to give up the old name.
func TestForgettingToolNames(t *testing.T) {
	t.Parallel()
	url, _ := harbour(t)
	h := newProgram(t)
	with := func(server, tools string) {
		h.write("glyphoxa.yaml", fmt.Sprintf("npcs: [{name: Mira, tools: [%s]}]\nmcp: {servers: [{name: %s, transport: streamable-http, url: %q, allow_private: true}]}\n", tools, server, url))
	}
	with("harbour", "tide")
	if out := h.run("", "tools").ok(t).stdout; !strings.Contains(out, "tide") || strings.Contains(out, "is not called") {
		t.Errorf("tools says\n%s", out)
	}
	h.run("", "tools", "forget", "tide").complains(t, 1, `forgetting "tide"`, "harbour/tide has it", "mcp.servers")
	with("dock", "tide")
	if out := h.run("", "tools").ok(t).stdout; !strings.Contains(out, `dock_tide is not called tide: "tide" is still the name of harbour/tide`) || !strings.Contains(out, "glyphoxa tools forget tide") {
		t.Errorf("tools says\n%s\nwant who holds the name", out)
	}
	if out := h.run("Hello, Mira.\n", "play").ok(t).stdout; !strings.Contains(out, `that tool is called "dock_tide" here`) {
		t.Errorf("play says\n%s\nwant what the tool is called", out)
	}
	h.run("", "tools", "forget", "tiede").complains(t, 1, "nothing is remembered", `did you mean "tide"?`)
	h.run("", "tools", "forget", "roll").complains(t, 1, "Glyphoxa's own tool")
	h.run("", "tools", "forget").complains(t, 2, "takes one name")
	if out := h.run("", "tools", "forget", "harbour").ok(t).stdout; out != "freed the name tide (harbour/tide); it now belongs to dock/tide, which was called dock_tide: update the NPCs' tools\n" {
		t.Errorf("forget says %q", out)
	}
	if out := h.run("", "tools", "--json").ok(t).stdout; strings.Contains(out, "dock_tide") || !strings.Contains(out, `"tide"`) {
		t.Errorf("after a restart tools says\n%s", out)
	}
	with("dock", "tied")
	if out := h.run("Hello, Mira.\n", "play").ok(t).stdout; !strings.Contains(out, `no server offers it; did you mean "tide"?`) || strings.Contains(out, "must come from an external server") {
		t.Errorf("play says\n%s\nwant the right name", out)
	}
	with("dock", "tide")
	if out := h.run("Hello, Mira.\n", "play").ok(t).stdout; strings.Contains(out, "offers it") || strings.Contains(out, "must come from") {
		t.Errorf("play says\n%s\nwant nothing of tools", out)
	}
}

// TestDoctorLooksAtTools checks that doctor and play name a server that cannot
// start, and missing tools that NPCs and workflows ask for.
func TestDoctorLooksAtTools(t *testing.T) {
	t.Parallel()
	url, _ := harbour(t)
	h := newProgram(t)
	h.write("npcs/mira.yaml", "name: Mira\ntools: [roll, tied]\n")
	h.write("flows/one.yaml", "name: flow\ndescription: d\nsteps:\n  - id: a\n    tool: rol\n    with: {expression: 1d6}\n")
	h.write("glyphoxa.yaml", fmt.Sprintf("npcs_dir: npcs\nserver: {workflows: flows}\nmcp: {servers: [{name: harbour, transport: streamable-http, url: %q, allow_private: true}, {name: lost, transport: stdio, command: nowhere-to-be-found}]}\n", url))
	misspelt := `npcs/mira.yaml:2: tools[1]: "tied" is not a built-in tool, and no `
	waiting := "flows/one.yaml) is waiting for tools that no server offers: rol"
	r := h.run("", "doctor")
	r.complains(t, 1, "found 3 problems in")
	for _, want := range []string{"PROBLEM  server lost", misspelt, `did you mean "tide"?`, waiting} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("doctor says\n%s\nwant %q", r.stdout, want)
		}
	}
	out := h.run("Hello, Mira.\n", "play").ok(t).stdout
	for _, want := range []string{misspelt, waiting} {
		if !strings.Contains(out, want) {
			t.Errorf("play says\n%s\nwant %q", out, want)
		}
	}
}
