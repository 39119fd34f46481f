package dialect_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm/openai/dialect"
)

// inn is the set of tools that requests offer here.
var inn = []dialect.Tool{
	{Name: "find_inn", Parameters: schema(map[string]any{"town": kind("string"), "beds": kind("integer"), "stable": kind("boolean"), "near": kind("array"), "owner": kind("object")}, "town")},
	{Name: "weather", Parameters: schema(map[string]any{"day": kind("string")})},
}

func schema(properties map[string]any, required ...string) map[string]any {
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

func kind(name string) map[string]any { return map[string]any{"type": name} }

// plainModel is a model that is known not to think without an opening tag.
func plainModel() *dialect.Habits { return dialect.NewHabits("m", "api.openai.com") }

// answer is an answer without its markup.
type answer struct {
	Said  string
	Calls []dialect.Call
}

// read reads an answer in pieces.
func read(tools []dialect.Tool, h *dialect.Habits, complete bool, pieces ...string) answer {
	r := dialect.New(tools, h)
	var said strings.Builder
	for _, p := range pieces {
		said.WriteString(r.Feed(p))
	}
	said.WriteString(r.End(complete))
	return answer{said.String(), r.Calls()}
}

// find is the call of find_inn for Oakham, made in most rows.
var find = []dialect.Call{{Name: "find_inn", Arguments: `{"town":"Oakham"}`}}

const findJSON = `{"name": "find_inn", "arguments": {"town": "Oakham"}}`

// dialects are answers as models write them. Each is read whole, and cut in two at every byte.
var dialects = []struct {
	name, text, said string
	calls            []dialect.Call
}{
	// Speech.
	{"plain", "Snow by nightfall, mark my words.", "Snow by nightfall, mark my words.", nil},
	{"signs in plain text", "Is 3 < 5? [sighs] {sic} `aye` ``` ◁ a > b | <3 <b>now</b> <br/> 2*3 < 7", "Is 3 < 5? [sighs] {sic} `aye` ``` ◁ a > b | <3 <b>now</b> <br/> 2*3 < 7", nil},
	{"words that begin a dialect", "Action: she bows.\nPlan: we wait.\nAnalysis is for scholars. finally, weather(ed) stone. >>> on", "Action: she bows.\nPlan: we wait.\nAnalysis is for scholars. finally, weather(ed) stone. >>> on", nil},
	{"final answer in prose", "final answer? No.", "final answer? No.", nil},
	{"object that is no call", `{"speech": "Sit down."}`, `{"speech": "Sit down."}`, nil},
	{"object with a stranger's name", `{"name": "Wulf", "speech": "Sit down."}`, `{"name": "Wulf", "speech": "Sit down."}`, nil},
	{"list that is no call", "[1, 2] and [weather] and [find_inn: Oakham]", "[1, 2] and [weather] and [find_inn: Oakham]", nil},
	{"fence that is no call", "```\nThe sign says: closed.\n```", "```\nThe sign says: closed.\n```", nil},
	{"struck out", "It costs <s>two</s> three crowns.", "It costs <s>two</s> three crowns.", nil},
	{"a tool's name in prose", "The weather turns; weather {fair} or foul.", "The weather turns; weather {fair} or foul.", nil},
	{"unknown code", `drink("ale") then print("ale")`, `drink("ale") then print("ale")`, nil},

	// Reasoning.
	{"think", "<think>\nA stranger. Be wary.\n</think>\n\nCold night, eh?", "Cold night, eh?", nil},
	{"think, not closed", "<think>A stranger. Be wary.", "", nil},
	{"think, nested", "<think>one <think>two</think>\nCold night, eh?", "Cold night, eh?", nil},
	{"think within an answer", "Hm. <think>Be wary.</think> Cold night, eh?", "Hm. Cold night, eh?", nil},
	{"thinking", "<thinking>Be wary.</thinking>Cold night, eh?", "Cold night, eh?", nil},
	{"thought", "<thought>\nBe wary.</thought>\nCold night, eh?", "Cold night, eh?", nil},
	{"reasoning in capitals", "<REASONING>Be wary.</REASONING>Cold night, eh?", "Cold night, eh?", nil},
	{"scratchpad and answer", "<scratchpad>Be wary.</scratchpad><answer>Cold night, eh?</answer>", "Cold night, eh?", nil},
	{"seed", "<seed:think>Be wary.<seed:cot_budget_reflect>few</seed:cot_budget_reflect></seed:think>Cold night, eh?", "Cold night, eh?", nil},
	{"mistral", "[THINK]Be wary.[/THINK]Cold night, eh?", "Cold night, eh?", nil},
	{"kimi", "◁think▷Be wary.◁/think▷Cold night, eh?", "Cold night, eh?", nil},
	{"command-r", "<|START_THINKING|>Be wary.<|END_THINKING|><|START_RESPONSE|>Cold night, eh?<|END_RESPONSE|>", "Cold night, eh?", nil},
	{"sky", "<|begin_of_thought|>Be wary.<|end_of_thought|>\n\n<|begin_of_solution|>Cold night, eh?<|end_of_solution|>", "Cold night, eh?", nil},
	{"apertus", "<|inner_prefix|>Be wary.<|inner_suffix|>Cold night, eh?", "Cold night, eh?", nil},
	{"granite", "Here is my thought process:\nBe wary.\n\nHere is my response:\n\nCold night, eh?", "Cold night, eh?", nil},
	{"react", "Thought: Be wary.\nFinal Answer: Cold night, eh?", "Cold night, eh?", nil},
	{"gemma 4", "<|channel>thought\nBe wary.<channel|>Cold night, eh?", "Cold night, eh?", nil},
	{"a bar of its own", "<｜think｜>Be wary.<｜/think｜>Cold night, eh?", "Cold night, eh?", nil},
	{"harmony", "<|channel|>analysis<|message|>Be wary.<|end|><|start|>assistant<|channel|>final<|message|>Cold night, eh?<|return|>", "Cold night, eh?", nil},
	{"harmony with a start", "<|start|>assistant<|channel|>final<|message|>Cold night, eh?", "Cold night, eh?", nil},
	{"harmony without tokens", "analysisBe wary. An assistant would greet.assistantfinalCold night, eh?", "Cold night, eh?", nil},
	{"harmony without tokens, twice", "analysiswe wait.assistantanalysisBe wary.assistantfinalCold night, eh?", "Cold night, eh?", nil},
	{"harmony without tokens, final only", "finalCold night, eh?", "Cold night, eh?", nil},
	{"harmony, preamble and answer", "<|channel|>commentary<|message|>I look around.<|end|><|start|>assistant<|channel|>final<|message|>Cold night, eh?", "Cold night, eh?", nil},
	{"harmony, preamble only", "<|channel|>commentary<|message|>Cold night, eh?", "Cold night, eh?", nil},
	{"harmony, thought only", "<|channel|>analysis<|message|>Be wary.", "", nil},

	// Ends.
	{"chatml", "Cold night, eh?<|im_end|>\n<|im_start|>user\nYes.", "Cold night, eh?", nil},
	{"chatml, no end", "Cold night, eh?<|im_start|>user\nYes.", "Cold night, eh?", nil},
	{"chatml, whole", "<|im_start|>assistant\nCold night, eh?<|im_end|>", "Cold night, eh?", nil},
	{"eos", "Cold night, eh?</s>[INST] Yes. [/INST]", "Cold night, eh?", nil},
	{"eos in a piece of its own, then more", "Cold night, eh?</s> Yes.", "Cold night, eh?", nil},
	{"inst", "Cold night, eh? [INST] Yes.", "Cold night, eh? ", nil},
	{"gemma", "Cold night, eh?<end_of_turn>\n<start_of_turn>user\nYes.", "Cold night, eh?", nil},
	{"llama 3", "<|start_header_id|>assistant<|end_header_id|>\n\nCold night, eh?<|eot_id|><|start_header_id|>user<|end_header_id|>Yes.", "Cold night, eh?", nil},
	{"llama 4", "<|header_start|>assistant<|header_end|>\n\nCold night, eh?<|eot|>Yes.", "Cold night, eh?", nil},
	{"phi", "Cold night, eh?<|end|><|user|>Yes.", "Cold night, eh?", nil},
	{"glm", "Cold night, eh?<|user|>\nYes.", "Cold night, eh?", nil},
	{"deepseek", "Cold night, eh?<｜end▁of▁sentence｜>Yes.", "Cold night, eh?", nil},
	{"granite roles", "<|start_of_role|>assistant<|end_of_role|>Cold night, eh?<|end_of_text|>Yes.", "Cold night, eh?", nil},
	{"command-r turns", "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>Cold night, eh?<|END_OF_TURN_TOKEN|>Yes.", "Cold night, eh?", nil},
	{"unknown end", "Cold night, eh?<|stop_talking_end|>Yes.", "Cold night, eh?", nil},
	{"unknown token", "Cold night,<|pause|> eh?", "Cold night, eh?", nil},

	// Calls in tags.
	{"hermes", "One moment. <tool_call>\n" + findJSON + "\n</tool_call>", "One moment. ", find},
	{"hermes, two", "<tool_call>" + findJSON + "</tool_call>\n<tool_call>{\"name\": \"weather\", \"arguments\": {}}</tool_call>", "", append(find[:1:1], dialect.Call{Name: "weather", Arguments: "{}"})},
	{"hermes, not closed", "<tool_call>\n" + findJSON, "", find},
	{"hermes, a brace missing", `<tool_call>{"name": "find_inn", "arguments": {"town": "Oakham"}</tool_call>`, "", find},
	{"hermes, python quotes", `<tool_call>{'name': 'find_inn', 'arguments': {'town': "Oakham"}}</tool_call>`, "", find},
	{"hermes, arguments as text", `<tool_call>{"name": "find_inn", "arguments": "{\"town\": \"Oakham\"}"}</tool_call>`, "", find},
	{"hermes, broken arguments", `<tool_call>{"name": "find_inn", "arguments": {"town": Oak?}}</tool_call>`, "", []dialect.Call{{Name: "find_inn", Arguments: `{"name": "find_inn", "arguments": {"town": Oak?}}`}}},
	{"hermes, unknown tool", `<tool_call>{"name": "fly", "arguments": {"up": 3}}</tool_call>`, "", []dialect.Call{{Name: "fly", Arguments: `{"up":3}`}}},
	{"hermes, an invented result", "<tool_call>" + findJSON + "</tool_call><tool_response>The Goose</tool_response>Try the Goose.", "", find},
	{"hermes, after a thought", "<think>An inn.</think>\n<tool_call>" + findJSON + "</tool_call><|im_end|>", "", find},
	{"hermes, in a thought that never ends", "<think>An inn.\n<tool_call>" + findJSON + "</tool_call>", "", find},
	{"hermes, in a thought that ends", "<think>Not <tool_call>" + findJSON + "</tool_call></think>Cold night, eh?", "Cold night, eh?", nil},
	{"glaive", "<functioncall> " + findJSON + " </functioncall>", "", find},
	{"nemotron", "<TOOLCALL>[" + findJSON + "]</TOOLCALL>", "", find},
	{"hunyuan", "<tool_calls>[" + findJSON + "]</tool_calls>", "", find},
	{"longcat", "<longcat_tool_call>" + findJSON + "</longcat_tool_call>", "", find},
	{"lm studio", "[TOOL_REQUEST]" + findJSON + "[END_TOOL_REQUEST]", "", find},
	{"qwen coder", "<tool_call>\n<function=find_inn>\n<parameter=town>\nOakham\n</parameter>\n</function>\n</tool_call>", "", find},
	{"qwen coder, types", "<function=find_inn>\n<parameter=town>\n12\n</parameter>\n<parameter=beds>\n3\n</parameter>\n<parameter=stable>\nTrue\n</parameter>\n<parameter=near>\n[\"mill\"]\n</parameter>\n<parameter=owner>\n{\"name\": \"Wulf\"}\n</parameter>\n<parameter=odd>\n7\n</parameter>\n</function>\n</tool_call>", "",
		[]dialect.Call{{Name: "find_inn", Arguments: `{"beds":3,"near":["mill"],"odd":"7","owner":{"name":"Wulf"},"stable":true,"town":"12"}`}}},
	{"qwen coder, not of that type", "<function=find_inn><parameter=beds>few</parameter></function>", "", []dialect.Call{{Name: "find_inn", Arguments: `{"beds":"few"}`}}},
	{"llama 3.1", `<function=find_inn>{"town": "Oakham"}</function>`, "", find},
	{"glm calls", "One moment.\n<tool_call>find_inn\n<arg_key>town</arg_key>\n<arg_value>Oakham</arg_value>\n<arg_key>beds</arg_key>\n<arg_value>2</arg_value>\n</tool_call>", "One moment.\n",
		[]dialect.Call{{Name: "find_inn", Arguments: `{"beds":2,"town":"Oakham"}`}}},
	{"glm, no arguments", "<tool_call>weather\n</tool_call>", "", []dialect.Call{{Name: "weather", Arguments: "{}"}}},
	{"minimax", "<minimax:tool_call>\n<invoke name=\"find_inn\">\n<parameter name=\"town\">Oakham</parameter>\n</invoke>\n</minimax:tool_call>", "", find},
	{"invoke alone", `<invoke name="find_inn"><parameter name="town">Oakham</parameter></invoke>`, "", find},
	{"function_calls", `<function_calls><invoke name="find_inn"><parameter name="town">Oakham</parameter></invoke><invoke name="weather"></invoke></function_calls>`, "", append(find[:1:1], dialect.Call{Name: "weather", Arguments: "{}"})},
	{"dsml", "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"find_inn\">\n<｜DSML｜parameter name=\"town\" string=\"true\">Oakham</｜DSML｜parameter>\n<｜DSML｜parameter name=\"beds\" string=\"false\">2</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>", "",
		[]dialect.Call{{Name: "find_inn", Arguments: `{"beds":2,"town":"Oakham"}`}}},
	{"seed calls", "<seed:tool_call>\n<function=find_inn>\n<parameter=town>Oakham</parameter>\n</function>\n</seed:tool_call>", "", find},
	{"step", "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"find_inn\"><steptml:parameter name=\"town\">Oakham</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>", "", find},
	{"elements", "<use_tool><name>find_inn</name><arguments><town>Oakham</town></arguments></use_tool>", "", find},
	{"olmo", "<function_calls>\nfind_inn(town=\"Oakham\")\n</function_calls>", "", find},
	{"functiongemma", "<start_function_call>call:find_inn{town:<escape>Oakham<escape>}<end_function_call>", "", find},

	// Calls in control tokens.
	{"deepseek r1", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>find_inn\n```json\n{\"town\": \"Oakham\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>", "", find},
	{"deepseek v3.1", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>find_inn<｜tool▁sep｜>{\"town\": \"Oakham\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>", "", find},
	{"deepseek, two", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>find_inn<｜tool▁sep｜>{\"town\": \"Oakham\"}<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>weather<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>", "", append(find[:1:1], dialect.Call{Name: "weather", Arguments: "{}"})},
	{"kimi calls", "<|tool_calls_section_begin|><|tool_call_begin|>functions.find_inn:0<|tool_call_argument_begin|>{\"town\": \"Oakham\"}<|tool_call_end|><|tool_calls_section_end|>", "", find},
	{"mistral, old", "[TOOL_CALLS][" + findJSON + "]", "", find},
	{"mistral, new", `[TOOL_CALLS]find_inn[ARGS]{"town": "Oakham"}[TOOL_CALLS]weather[CALL_ID]abc[ARGS]{}`, "", append(find[:1:1], dialect.Call{Name: "weather", Arguments: "{}"})},
	{"mistral, no marks between", `[TOOL_CALLS]find_inn{"town": "Oakham"}</s>`, "", find},
	{"llama 3, python tag", `<|python_tag|>{"name": "find_inn", "parameters": {"town": "Oakham"}}<|eom_id|>`, "", find},
	{"llama 3, built in", `<|python_tag|>find_inn.call(town="Oakham")`, "", find},
	{"llama 4 calls", `<|python_start|>[find_inn(town="Oakham")]<|python_end|><|eot|>`, "", find},
	{"granite calls", "<|tool_call|>[" + findJSON + "]", "", find},
	{"phi-4-mini", "<|tool_call|>[" + findJSON + "]<|/tool_call|>", "", find},
	{"phi-4", `functools[` + findJSON + `]`, "", find},
	{"lfm2", `<|tool_call_start|>[find_inn(town="Oakham")]<|tool_call_end|>`, "", find},
	{"internlm", "One moment.<|action_start|><|plugin|>\n" + `{"name": "find_inn", "parameters": {"town": "Oakham"}}<|action_end|>`, "One moment.", find},
	{"apertus calls", `<|tools_prefix|>[{"find_inn": {"town": "Oakham"}}]<|tools_suffix|>`, "", find},
	{"command-r7b", `<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "find_inn", "parameters": {"town": "Oakham"}}]<|END_ACTION|>`, "", find},
	{"gemma 4 calls", `<|tool_call>call:find_inn{town:<|"|>Oakham<|"|>}<tool_call|>`, "", find},
	{"functionary 2", "<|from|>assistant\n<|recipient|>find_inn\n<|content|>{\"town\": \"Oakham\"}<|stop|>", "", find},
	{"functionary 2, speech", "<|from|>assistant\n<|recipient|>all\n<|content|>Cold night, eh?<|stop|>", "Cold night, eh?", nil},
	{"harmony call", "<|channel|>analysis<|message|>An inn.<|end|><|start|>assistant<|channel|>commentary to=functions.find_inn <|constrain|>json<|message|>{\"town\": \"Oakham\"}<|call|>", "", find},
	{"harmony call, recipient first", "<|start|>assistant to=functions.find_inn<|channel|>commentary json<|message|>{\"town\": \"Oakham\"}<|call|>", "", find},
	{"harmony call without tokens", "analysisAn inn.assistantcommentary to=functions.find_inn json{\"town\": \"Oakham\"}", "", find},
	{"harmony call, some tokens", "commentary to=functions.find_inn <|constrain|>json<|message|>{\"town\": \"Oakham\"}<|call|>", "", find},
	{"harmony call run together", "assistant to=functions.find_inncommentaryjson{\"town\": \"Oakham\"}", "", find},
	{"harmony call, unknown tool", "<|channel|>commentary to=functions.fly<|message|>{\"up\":1}<|call|>", "", []dialect.Call{{Name: "fly", Arguments: `{"up":1}`}}},

	// Unmarked calls.
	{"bare json", findJSON, "", find},
	{"bare json, llama", `{"type": "function", "name": "find_inn", "parameters": {"town": "Oakham"}}; {"name": "weather", "parameters": {}}`, "", append(find[:1:1], dialect.Call{Name: "weather", Arguments: "{}"})},
	{"bare json, openai", `{"tool_calls": [{"id": "1", "type": "function", "function": {"name": "find_inn", "arguments": "{\"town\": \"Oakham\"}"}}]}`, "", find},
	{"bare json after speech", "One moment.\n" + findJSON, "One moment.\n", find},
	{"bare json, a brace missing", `{"name": "find_inn", "parameters": {"town": "Oakham"}`, "", find},
	{"bare json, unknown tool", `{"name": "fly", "arguments": {"up": 3}}`, `{"name": "fly", "arguments": {"up": 3}}`, nil},
	{"xlam", "[" + findJSON + "]", "", find},
	{"xlam, with a thought", `{"thought": "An inn.", "tool_calls": [` + findJSON + `]}`, "", find},
	{"json fence", "```json\n" + findJSON + "\n```", "", find},
	{"json fence, unknown tool", "```json\n{\"name\": \"fly\"}\n```", "```json\n{\"name\": \"fly\"}\n```", nil},
	{"tool_code", "```tool_code\nprint(default_api.find_inn(town=\"Oakham\"))\n```", "", find},
	{"tool_code, result", "```tool_code\nplace = find_inn(\"Oakham\", beds=2)\nprint(place[\"name\"])\n```\n```tool_outputs\nThe Goose\n```\nTry the Goose.", "", []dialect.Call{{Name: "find_inn", Arguments: `{"beds":2,"town":"Oakham"}`}}},
	{"python fence", "```python\nfind_inn(town='Oakham')\n```", "", find},
	{"python fence, no tool", "```python\nprint(1)\n```", "```python\nprint(1)\n```", nil},
	{"pythonic list", `[find_inn(town="Oakham"), weather()]`, "", append(find[:1:1], dialect.Call{Name: "weather", Arguments: "{}"})},
	{"pythonic, bare", `One moment. find_inn(town="Oakham", stable=True, near=["mill", 'ford'])`, "One moment. ", []dialect.Call{{Name: "find_inn", Arguments: `{"near":["mill","ford"],"stable":true,"town":"Oakham"}`}}},
	{"a name and json", `functions.find_inn({"town": "Oakham"})`, "", find},
	{"kimi without tokens", `functions.find_inn:0{"town": "Oakham"}`, "", find},
	{"mistral without tokens", `find_inn{"town": "Oakham"}`, "", find},
	{"functionary 3", ">>>all\nOne moment.\n>>>find_inn\n{\"town\": \"Oakham\"}", "One moment.\n", find},
	{"command-r calls", "Plan: I look for an inn.\nAction: ```json\n[{\"tool_name\": \"find_inn\", \"parameters\": {\"town\": \"Oakham\"}}]\n```", "", find},
	{"command-r, no tool", "Action: ```json\n[{\"tool_name\": \"directly-answer\", \"parameters\": {}}]\n```\nCold night, eh?", "Cold night, eh?", nil},
	{"react calls", "Thought: An inn.\nAction: find_inn\nAction Input: {\"town\": \"Oakham\"}\nObservation: The Goose", "", find},
	{"react, input as text", "Action: find_inn\nAction Input: Oakham\nObservation: The Goose", "", find},
	{"react, json", "Thought: An inn.\nAction:\n```\n{\"action\": \"find_inn\", \"action_input\": {\"town\": \"Oakham\"}}\n```", "", find},
	{"nexusraven", "Call: find_inn(town='Oakham')<bot_end>", "", find},
	{"label and json", "Function call: " + findJSON, "", find},
	{"tag named like the tool", "One moment. <find_inn>\n<town>Oakham</town>\n<beds>2</beds>\n</find_inn>", "One moment. ", []dialect.Call{{Name: "find_inn", Arguments: `{"beds":2,"town":"Oakham"}`}}},
	{"tag named like the tool, attributes", `<find_inn town="Oakham" />`, "", find},
	{"gemma 4 without tokens", "call:find_inn{town:Oakham}", "", find},
	{"gemma 4 thought without its first token", "thought\nBe wary.\n<channel|>Cold night, eh?", "Cold night, eh?", nil},
	{"gemma 4 thought without tokens", "thought\nCold night, eh?", "Cold night, eh?", nil},
	{"arguments beside the function", `<tool-use>{"tool_calls": [{"type": "function", "function": {"name": "find_inn"}, "parameters": {"town": "Oakham"}}]}</tool-use>`, "", find},
	{"qwen-agent", "✿FUNCTION✿: find_inn\n✿ARGS✿: {\"town\": \"Oakham\"}\n✿RESULT✿: The Goose\n✿RETURN✿: Try the Goose.", "", find},
	{"qwen-agent, speech", "✿RETURN✿: Cold night, eh?", "Cold night, eh?", nil},
	{"scratch pad", "<scratch_pad>Be wary.</scratch_pad>Cold night, eh?", "Cold night, eh?", nil},
	{"flowers in plain text", "✿ and ◁ and “quotes” …", "✿ and ◁ and “quotes” …", nil},
	{"harmony without its first token", "analysis<|message|>Be wary.<|end|><|start|>assistant<|channel|>final<|message|>Cold night, eh?", "Cold night, eh?", nil},
	{"harmony, final without its first token", "final<|message|>Cold night, eh?<|return|>", "Cold night, eh?", nil},
	{"open webui", "<details type=\"reasoning\" done=\"true\">\n<summary>Thought</summary>\nBe wary.\n</details>\nCold night, eh?", "Cold night, eh?", nil},
	{"think with an attribute", "<thinking mode=\"deep\">Be wary.</thinking>Cold night, eh?", "Cold night, eh?", nil},
	{"think, empty", "<think/>Cold night, eh?", "Cold night, eh?", nil},
	{"python fence, a program", "```python\nplace = find_inn(town='Oakham')\nprint(place)\n```", "", find},
	{"tools instead of tool_call", "<tools>\n" + findJSON + "\n</tools>", "", find},
	{"tools, the definitions", `<tools>{"name": "find_inn", "description": "Finds an inn.", "parameters": {"type": "object"}}</tools>Cold night, eh?`, "Cold night, eh?", nil},
	{"no call between the tags", "<tool_call>none</tool_call>Cold night, eh?", "Cold night, eh?", nil},
	{"code with colons", `find_inn(town: "Oakham")`, "", find},
	{"code without quotes", `find_inn(town=Oakham, beds=2)`, "", []dialect.Call{{Name: "find_inn", Arguments: `{"beds":2,"town":"Oakham"}`}}},
	{"a tool's name as key", `{"find_inn": "Oakham"}`, "", find},
	{"apriel", "Here are my reasoning steps:\nBe wary.\n[BEGIN FINAL RESPONSE]\nCold night, eh?\n[END FINAL RESPONSE]\n<|end|>", "Cold night, eh?\n", nil},
	{"capitals in brackets", "[A BELL RINGS] [THE END] Cold night, eh?", "[A BELL RINGS] [THE END] Cold night, eh?", nil},
	{"llama, bracket missing", `<function=find_inn{"town": "Oakham"}</function>`, "", find},
	{"llama, parenthesis", `<function=find_inn({"town": "Oakham"})</function>`, "", find},
	{"elements within elements", "<function_calls>\n<invoke>\n<tool_name>find_inn</tool_name>\n<parameters>\n<town>Oakham</town>\n</parameters>\n</invoke>\n</function_calls>", "", find},
	{"attributes", `<invoke name="find_inn" town="Oakham"/>`, "", find},
	{"labels", "Tool: find_inn\nArguments: {\"town\": \"Oakham\"}", "", find},
	{"label that is no call", "Tool: a hammer.\nCall: the guard!", "Tool: a hammer.\nCall: the guard!", nil},
	{"json-rpc", `{"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "find_inn", "arguments": {"town": "Oakham"}}}`, "", find},
	{"camel case", `{"toolName": "find_inn", "args": {"town": "Oakham"}}`, "", find},
	{"deepseek without tokens", "functionfind_inn\n```json\n{\"town\": \"Oakham\"}\n```", "", find},
}

func TestDialects(t *testing.T) {
	for _, row := range dialects {
		t.Run(row.name, func(t *testing.T) {
			want := answer{row.said, row.calls}
			if diff := cmp.Diff(want, read(inn, plainModel(), true, row.text)); diff != "" {
				t.Fatalf("%q (-want +got):\n%s", row.text, diff)
			}
			for at := range row.text {
				if diff := cmp.Diff(want, read(inn, plainModel(), true, row.text[:at], row.text[at:])); diff != "" {
					t.Fatalf("%q, then %q (-want +got):\n%s", row.text[:at], row.text[at:], diff)
				}
			}
			if diff := cmp.Diff(want, read(inn, plainModel(), true, strings.Split(row.text, "")...)); diff != "" {
				t.Fatalf("%q rune by rune (-want +got):\n%s", row.text, diff)
			}
		})
	}
}

// BenchmarkPlain reads an answer of forty pieces without markup.
func BenchmarkPlain(b *testing.B) {
	pieces := strings.SplitAfter(strings.Repeat("A cold night, stranger, and the road is long. ", 5), " ")
	h := plainModel()
	b.ReportAllocs()
	for b.Loop() {
		if got := read(inn, h, true, pieces...); got.Calls != nil {
			b.Fatal(got)
		}
	}
}
