package offline_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm/offline"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// said is a complete answer.
type said struct {
	text   string
	calls  []llm.ToolCall
	finish string
	chunks int
}

func ask(t testing.TB, req llm.Request) said {
	t.Helper()
	var a said
	for c, err := range offline.New().Stream(t.Context(), req) {
		if err != nil {
			t.Fatalf("streaming: %v", err)
		}
		if a.finish != "" {
			t.Fatalf("chunk %+v after the last", c)
		}
		a.chunks++
		a.text += c.Text
		a.calls = append(a.calls, c.ToolCalls...)
		a.finish = c.FinishReason
	}
	if a.finish == "" {
		t.Fatal("the answer has no end")
	}
	return a
}

func request(text string, tools ...llm.ToolDefinition) llm.Request {
	return llm.Request{
		Messages: []llm.Message{{Role: llm.RoleSystem, Content: "You are Bartok."}, {Role: llm.RoleUser, Name: "Mira", Content: text}},
		Tools:    tools,
		Persona:  llm.Persona{Name: "Bartok the Barkeep"},
	}
}

type props = map[string]any

func tool(name string, properties props, required ...string) llm.ToolDefinition {
	return llm.ToolDefinition{Name: name, Parameters: map[string]any{"type": "object", "properties": properties, "required": required}}
}

func allTools() []llm.ToolDefinition {
	str := props{"type": "string"}
	return []llm.ToolDefinition{
		tool("roll", props{"expression": str}, "expression"),
		tool("roll_table", props{"table_name": props{"type": "string", "enum": []string{"random_encounter", "tavern_rumours", "treasure_hoard", "wild_magic"}}}, "table_name"),
		tool("search_rules", props{"query": str, "system": str}, "query"),
		tool("get_rule", props{"id": str}, "id"),
		tool("search_sessions", props{"query": str, "session_id": str}, "query"),
		tool("search_facts", props{"query": str, "top_k": props{"type": "integer"}}, "query"),
		tool("query_entities", props{"name": str, "type": str}),
		tool("get_summary", props{"entity_id": str}, "entity_id"),
		tool("write_file", props{"path": str, "content": str}, "path", "content"),
		tool("read_file", props{"path": str}, "path"),
		tool("echo", props{"message": str}, "message"),
		tool("ping", props{}),
		tool("weather_report", props{"city": str, "days": props{"type": "integer", "minimum": 1}}, "city"),
		{Name: "paint", Parameters: props{"type": "object", "properties": props{"colour": props{"type": "string", "enum": []any{"red", "blue"}}}, "required": []any{"colour"}}},
	}
}
