package main_test

import "testing"

// A name that a tool does not know would else mean "everything".
func TestToolsCallRefusesUnknownArguments(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	for name, tool := range h.tools() {
		if tool.Source != "builtin" {
			continue
		}
		h.run("", "tools", "call", name, `{"kwyjibo":"x"}`).complains(t, 1, "invalid arguments", `unknown argument "kwyjibo"`)
	}
	h.run("", "tools", "call", "query_entities", `{"query":"bartok"}`).complains(t, 1, `unknown argument "query"; the known ones are "name", "type"`)
}
