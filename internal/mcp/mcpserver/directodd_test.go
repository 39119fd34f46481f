package mcpserver_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
)

// kinds calls try with every kind of message there is, by name.
func kinds(try func(name string, m posted)) {
	for era, header := range map[string]func(name string) http.Header{
		"newest":     func(name string) http.Header { return newestHeader("tools/call", name) },
		"2025-11-25": func(string) http.Header { return sessionHeaders("2025-11-25") },
		"2025-06-18": func(string) http.Header { return sessionHeaders("2025-06-18") },
	} {
		meta := `{}`
		if era == "newest" {
			meta = plainMeta
		}
		for _, tool := range append(oddTools(), echo("absent", ""), echo("search_tools", ""), echo("describe_tool", ""), echo("roll", ""), echo("batch", "")) {
			name := tool.Definition.Name
			for i, args := range oddArguments {
				try(fmt.Sprint(era, " tool ", name, i), posted{header(name), callBody("7", `"`+name+`"`, args, meta)})
			}
		}
		for i, id := range oddIDs {
			try(fmt.Sprint(era, " id ", i), posted{header("echo"), callBody(id, `"echo"`, `{}`, meta)})
		}
		for i, odd := range oddMetas {
			try(fmt.Sprint(era, " meta ", i), posted{header("echo"), callBody("1", `"echo"`, `{}`, odd)})
		}
		for i, body := range oddBodies {
			try(fmt.Sprint(era, " body ", i), posted{header("echo"), strings.ReplaceAll(body, "META", meta)})
		}
		for i, change := range oddHeaders {
			h := header("echo")
			maps.Copy(h, change)
			for key, values := range change {
				if values == nil {
					delete(h, key)
				}
			}
			try(fmt.Sprint(era, " header ", i), posted{h, callBody("1", `"echo"`, `{}`, meta)})
		}
		for i, params := range oddLists {
			h := header("")
			if era == "newest" {
				h["Mcp-Method"] = []string{"tools/list"}
			}
			try(fmt.Sprint(era, " list ", i), posted{h, `{"jsonrpc":"2.0","id":1,"method":"tools/list"` + strings.ReplaceAll(params, "META", meta) + `}`})
		}
	}
}

var oddLists = []string{
	``, `,"params":null`, `,"params":{}`, `,"params":[]`, `,"params":{"_meta":META}`, `,"params":{"_meta":META,"cursor":""}`,
	`,"params":{"_meta":META,"cursor":null}`, `,"params":{"_meta":META,"cursor":1}`, `,"params":{"_meta":META,"cursor":"none of yours"}`,
	`,"params":{"_meta":META,"cursor":"YWZ0ZXI6ZWNobw"}`, `,"params":{"_meta":META,"cursor":"YWZ0ZXI6ZWNobw","cursor":""}`,
	`,"params":{"_meta":META,"extra":1}`, `,"params":{"_meta":META},"method":"tools/list"`,
}

var oddArguments = []string{
	`{}`, `{"a":1}`, `{"a":"1"}`, `{"b":2}`, `{"a":1,"a":2}`, `{"a":12345678901234567890123}`, `{"a":1e400}`, `{"a":-0}`, `{"a":1.0}`,
	`{"a":1,"b":"\ud800"}`, `{"a":1,"b":"ü\u0000\u2028\\"}`, `{"a":1,"c":[[[[]]]]}`, `null`, `[]`, `"x"`, `1`, ` { "a" : 1 } `, `{"A":1}`,
	`{"name":"echo"}`, `{"query":"dice","limit":1}`, `{"calls":[{"tool":"echo","arguments":{}}]}`, `{"a":1`,
}

var oddIDs = []string{
	`0`, `-1`, `1.0`, `1.5`, `1e2`, `-0`, `123456789012345`, `1234567890123456`, `9007199254740993`, `99999999999999999999`, `""`, `"a"`,
	`"ü"`, `"\u0061"`, `"<&>"`, `"\n"`, `null`, `true`, `[]`, `{}`, `"` + strings.Repeat("i", 63) + `"`, `"` + strings.Repeat("i", 65) + `"`, `01`, `"\ud800"`,
}

var oddMetas = []string{
	`{}`, `null`, `[]`, `1`, plainMeta,
	`{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`,
	`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":null}`,
	`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":[]}`,
	`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{}}}`,
	`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{"listChanged":true}}}`,
	`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{"listChanged":1}}}`,
	`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":null}}`,
	`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{},"elicitation":{"form":{},"url":{}}}}`,
	`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{"tools":{}}}}`,
	`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"experimental":{"x":1}}}`,
	`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"unknown":1}}`,
	`{"io.modelcontextprotocol/protocolVersion":"2025-11-25","io.modelcontextprotocol/clientCapabilities":{}}`,
	`{"io.modelcontextprotocol/protocolVersion":"2027-01-01","io.modelcontextprotocol/clientCapabilities":{}}`,
	`{"io.modelcontextprotocol/protocolVersion":1,"io.modelcontextprotocol/clientCapabilities":{}}`,
	`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/protocolVersion":"2025-11-25","io.modelcontextprotocol/clientCapabilities":{}}`,
	`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":null}`,
	`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{}}`,
	`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":1}}`,
	`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"x","icons":[]}}`,
	`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"debug"}`,
	`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"loud"}`,
	`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":7}`,
	`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"x":1e999}`,
	`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/serverInfo":{}}`,
	`{"io.modelcontextprotocol\/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`,
}

var oddBodies = []string{
	``, ` `, `{`, `nul`, `null`, `[]`, `{}`, `1`, "\ufeff{}", "\xff",
	`{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":META}}`,
	`{"jsonrpc":2.0,"id":1,"method":"tools/call","params":{"name":"echo","_meta":META}}`,
	`{"id":1,"method":"tools/call","params":{"name":"echo","_meta":META}}`,
	`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","_meta":META}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":META}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":META}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":META}} `,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":META}}{}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":META}}x`,
	`{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{"name":"echo","_meta":META}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"ping","params":{"name":"echo","_meta":META}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","name":"text","_meta":META}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":META,"_meta":{}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{},"arguments":{"a":1},"_meta":META}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"echo","name":"echo","_meta":META}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\u0065cho","_meta":META}}`,
	`{"jsonrpc":"2.0","id":1,"m\u0065thod":"tools/call","params":{"name":"echo","_meta":META}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":null,"_meta":META}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1,"_meta":META}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":META,"inputResponses":{}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":META,"requestState":"x"}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":META,"task":{}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":META},"extra":1}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":META},"result":{}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":META},"error":{}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":META}}`,
	`{"jsonrpc":"2.0","id":1,"result":{}}`,
	`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":META}}]`,
	"\t{\r\n\"jsonrpc\" : \"2.0\" ,\"id\" : 1 , \"method\":\"tools/call\",\"params\" : { \"name\":\"echo\" , \"_meta\" : META } }\n",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"ec\xffho\",\"_meta\":META}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"ec\nho\",\"_meta\":META}}",
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":` + strings.Repeat(`{"a":`, 120) + `1` + strings.Repeat(`}`, 120) + `,"_meta":META}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":` + strings.Repeat(`{"a":`, 200) + `1` + strings.Repeat(`}`, 200) + `,"_meta":META}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":"` + strings.Repeat("x", 10_000) + `"},"_meta":META}}`,
}

var oddHeaders = []http.Header{
	{"Mcp-Name": nil}, {"Mcp-Name": {"text"}}, {"Mcp-Name": {"echo", "echo"}}, {"Mcp-Name": {"echo", "text"}}, {"Mcp-Name": {""}}, {"Mcp-Name": {"=?base64?ZWNobw==?="}},
	{"Mcp-Method": nil}, {"Mcp-Method": {"tools/list"}}, {"Mcp-Method": {"tools/call", "tools/call"}}, {"Mcp-Method": {"TOOLS/CALL"}},
	{"Mcp-Protocol-Version": nil}, {"Mcp-Protocol-Version": {"2027-01-01"}}, {"Mcp-Protocol-Version": {"2025-11-25"}}, {"Mcp-Protocol-Version": {newestRevision, newestRevision}},
	{"Mcp-Protocol-Version": {newestRevision, "2025-11-25"}}, {"Mcp-Protocol-Version": {""}}, {"Mcp-Protocol-Version": {"x"}},
	{"Content-Type": nil}, {"Content-Type": {"application/json; charset=utf-8"}}, {"Content-Type": {"Application/JSON"}}, {"Content-Type": {"text/plain"}},
	{"Content-Type": {"application/json", "text/plain"}}, {"Content-Type": {"application/json;"}},
	{"Accept": nil}, {"Accept": {"*/*"}}, {"Accept": {"application/json"}}, {"Accept": {"text/event-stream"}}, {"Accept": {"text/event-stream,application/json"}},
	{"Accept": {"application/json", "text/event-stream"}}, {"Accept": {"application/json;q=0.1, text/event-stream"}}, {"Accept": {"application/*, text/*"}},
	{"Last-Event-Id": {"x_0"}}, {"Last-Event-Id": {""}}, {"Mcp-Session-Id": {"nobody"}}, {"Mcp-Param-A": {"1"}},
	{"Authorization": {"Bearer " + token("dm")}}, {"Authorization": nil}, {"Authorization": {"Bearer wrong"}},
	{"Origin": {"http://evil.test"}}, {"Origin": {"http://127.0.0.1"}},
}
