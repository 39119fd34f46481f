package dialect

import (
	"slices"
	"strings"
)

// kind is the meaning of a mark.
type kind int

const (
	unknown  kind = iota
	thought       // encloses reasoning
	call          // encloses tool calls
	result        // encloses results or definitions of tools, which only a server may write
	wrapper       // encloses the answer itself; only the mark is removed
	inner         // structures a call, and means nothing elsewhere
	turnEnd       // ends the answer
	turnHead      // begins a message; the author's role follows
	assist        // begins a message of the assistant
	channel       // begins a message's channel in the harmony format
	to            // names who a message is for: everybody, or a tool
	ignored       // belongs to a header, or means nothing
)

// names is the table of dialects for everything in brackets. A name stands for all its spellings: in lower
// case, without the namespace, the brackets, and the words that say that something begins or ends. "think" is
// <think>, </think>, <seed:think>, [THINK], ◁think▷ and <|begin_of_think|>; "tool_calls" is <tool_calls>,
// <｜tool▁calls▁begin｜> and <｜DSML｜tool_calls>. Models invent such spellings faster than words.
var names = map[string]kind{
	// DeepSeek R1, Qwen, QwQ, GLM, Nemotron, Phi-4-reasoning and most others say think. Other words are those
	// of Reflection, Gemini, Granite, Seed-OSS, LongCat, Reka, Sky-T1 and of prompts that ask for reasoning.
	"think": thought, "thinking": thought, "thought": thought, "thoughts": thought, "thought_process": thought,
	"reasoning": thought, "reason": thought, "reflection": thought, "scratchpad": thought, "analysis": thought,
	"inner_monologue": thought, "internal_monologue": thought, "monologue": thought, "inner_thoughts": thought,
	"inner_thought": thought, "chain_of_thought": thought, "cot": thought, "longcat_think": thought,
	"cot_budget_reflect": thought, "denken": thought, "gedanke": thought, "gedanken": thought, "nachdenken": thought,
	"analyse": thought, "details": thought, // Open WebUI, with an attribute

	// Hermes, Qwen, GLM, MiniMax, Granite, Nemotron (TOOLCALL), Kimi (tool_calls_section), DeepSeek (DSML
	// function_calls), Llama 3.1 and Functionary (function=name), LM Studio (TOOL_REQUEST), Gemma (tool_code,
	// start_function_call), Seed-OSS, Hunyuan, Jamba, OLMo, LFM2.
	"tool_call": call, "tool_calls": call, "tool_use": call, "tool_uses": call,
	"tool_code": call, "tool_request": call, "tool_requests": call, "use_tool": call, "execute_tool": call,
	"function": call, "function_call": call, "function_calls": call, "tool": call, "tools": call, "call": call, "functions": call,
	"invoke": call, "longcat_tool_call": call, "tool_calls_section": call,

	"tool_response": result, "tool_responses": result, "tool_result": result, "tool_results": result,
	"tool_output": result, "tool_outputs": result, "function_result": result, "function_results": result,
	"function_response": result, "function_output": result, "available_tools": result,

	"answer": wrapper, "final_answer": wrapper, "response": wrapper, "output": wrapper, "solution": wrapper,

	"parameter": inner, "parameters": inner, "arg_key": inner, "arg_value": inner, "args": inner, "call_id": inner,
	"tool_sep": inner, "tool_call_argument": inner, "arguments": inner,

	"turn": turnHead, "s": turnHead, "eos": turnEnd, "endoftext": turnEnd, "inst": turnEnd, "system_prompt": turnEnd,
}

// tokens are names that mean something only as a control token, such as <|channel|>.
var tokens = map[string]kind{
	"action":      call, // Command-R7B (START_ACTION), InternLM (action_start)
	"python_tag":  call, // Llama 3
	"python":      call, // Llama 4 (python_start)
	"tools":       call, // Apertus (tools_prefix)
	"inner":       thought,
	"plugin":      inner, // InternLM
	"interpreter": inner,

	"im": turnHead, "header_id": turnHead, "header": turnHead, "role": turnHead, "start": turnHead, "from": turnHead,
	"turn_token": turnHead,
	"assistant":  assist, "chatbot_token": assist, "ai": assist, "model": assist,
	"channel": channel, "recipient": to,
	"message": ignored, "constrain": ignored, "content": ignored, "sep": ignored, "bos": ignored, "begin_of_text": ignored,
	"box": ignored, "startoftext": ignored,

	"end": turnEnd, "return": turnEnd, "call": turnEnd, "stop": turnEnd, "text": turnEnd, "sentence": turnEnd,
	"eot": turnEnd, "eot_id": turnEnd, "eom": turnEnd, "eom_id": turnEnd, "eod": turnEnd, "eod_id": turnEnd,
	"im_sep": ignored, "user": turnEnd, "human": turnEnd, "system": turnEnd, "developer": turnEnd, "observation": result,
	"user_token": turnEnd, "system_token": turnEnd, "ipython": turnEnd, "tool": turnEnd,
}

// squareNames are the names that Mistral and LM Studio write in square brackets. Others are stage directions.
var squareNames = []string{
	"TOOL_CALLS", "TOOL_CALL", "TOOL_REQUEST", "TOOL_RESULTS", "TOOL_RESULT", "TOOL_OUTPUT", "AVAILABLE_TOOLS", "FUNCTION_CALL",
	"FUNCTION_CALLS", "THINK", "INST", "SYSTEM_PROMPT", "ARGS", "CALL_ID", "EOS", "BEGIN FINAL RESPONSE", "END FINAL RESPONSE",
}

// fences are the words after three backticks that are kept from being spoken until it is known whether the
// code calls a tool. Those with a kind are never speech.
var fences = map[string]kind{
	"tool_code": call, "tool_call": call, "tool_calls": call, "tool_use": call, "function_call": call, "function_calls": call,
	"tool_output": result, "tool_outputs": result, "tool_result": result, "tool_results": result, "tool_response": result,
	"": unknown, "json": unknown, "python": unknown, "py": unknown, "xml": unknown, "tool": unknown, "tools": unknown,
	"function": unknown, "javascript": unknown, "text": unknown, "plaintext": unknown,
}

// callPrefixes precede a tool's name where models call it as code, or where a server removed the control
// tokens around it.
var callPrefixes = []string{"call:", "functions.", "function.", "default_api.", "tools.", "tool.", "api.", "functions:", "function"}

// objectKeys begin an object that may be a call.
var objectKeys = []string{
	"name", "type", "id", "function", "function_name", "function_call", "tool", "tool_name", "tool_call", "tool_calls", "tool_uses",
	"recipient_name", "action", "arguments", "parameters", "args", "thought", "tool_call_id", "call", "calls", "actions", "tools",
	"toolName", "functionName", "toolCall", "toolCalls", "functionCall", "command", "jsonrpc", "method",
}

// nameKeys and argumentKeys contain a call's name and arguments, most certain first.
var (
	nameKeys     = []string{"name", "tool_name", "function_name", "toolName", "functionName", "recipient_name", "function", "tool", "action"}
	argumentKeys = []string{"arguments", "parameters", "args", "params", "kwargs", "tool_input", "action_input", "input"}
	nestingKeys  = []string{
		"tool_calls", "tool_uses", "function", "function_call", "tool_call", "toolCalls", "toolCall", "functionCall", "call", "calls",
		"action", "actions", "tools", "command", "params",
	}
)

// phrase is a piece of plain text with a meaning where it begins an answer or a line.
type phrase struct {
	text   string
	anyRow bool // also at the beginning of a later line
	// act handles the phrase at buf[i:].
	act func(r *Reader, i int, final bool) (int, verdict)
}

// phrases are the dialects that mark nothing with brackets: harmony whose control tokens a server removed,
// the reasoning of Granite 3, the line format of Command-R and ReAct, and Functionary.
var phrases = []phrase{
	{"assistantanalysis", false, (*Reader).harmonyWord},
	{"assistantcommentary", false, (*Reader).harmonyWord},
	{"assistantfinal", false, (*Reader).harmonyWord},
	{"assistant to=", false, (*Reader).harmonyWord},
	{"analysis", false, (*Reader).harmonyWord},
	{"commentary", false, (*Reader).harmonyWord},
	{"final", false, (*Reader).harmonyWord},
	{"to=functions.", true, (*Reader).harmonyWord},
	{"thought\n", false, (*Reader).thoughtLine},
	{"Here is my thought process:", false, thinkFrom("Here is my thought process:", "Here is my response:", "Here's my response:")},
	{"Here's my thought process:", false, thinkFrom("Here's my thought process:", "Here's my response:", "Here is my response:")},
	{"Here are my reasoning steps:", false, (*Reader).reasoningSteps},
	{"Thought:", false, thinkFrom("Thought:", "\nAction:", "\nFinal Answer:")},
	{"Plan:", false, (*Reader).planLine},
	{"Action:", true, actionAfter("Action:")},
	{"Tool:", true, actionAfter("Tool:")},
	{"Call:", true, actionAfter("Call:")},
	{"Tool call:", true, actionAfter("Tool call:")},
	{"Tool Call:", true, actionAfter("Tool Call:")},
	{"Function call:", true, actionAfter("Function call:")},
	{"Function Call:", true, actionAfter("Function Call:")},
	{"Final Answer:", true, dropPhrase("Final Answer:")},
	{">>>", true, (*Reader).recipientLine},
	{"functools[", true, (*Reader).functools},
}

// knownThinkers are parts of the names of models whose chat template may open the reasoning, so that the text
// shows only where it ends.
var knownThinkers = []string{
	"qwq", "qvq", "deepseek-r1", "deepseek-reasoner", "r1-distill", "-r1", "thinking", "-think", "reasoning", "reasoner", "magistral",
	"nemotron", "minimax-m", "glm-4.5", "glm-4.6", "glm-4.7", "glm-5", "glm-z1", "exaone-deep", "step-3", "step3", "skywork-or",
	"openthinker", "marco-o1", "ring-", "hunyuan-t1", "intellect-3", "cogito", "smallthinker", "qwen3.5", "mimo",
}

// knowsThinker reports whether a model thinks in its text, by its name.
func knowsThinker(model string) bool {
	model = strings.ToLower(model)
	return slices.ContainsFunc(knownThinkers, func(part string) bool { return strings.Contains(model, part) })
}

// separatingHosts are services whose own models' reasoning never stands in the text of an answer.
var separatingHosts = []string{
	"api.openai.com", "openai.azure.com", "cognitiveservices.azure.com", "api.anthropic.com", "googleapis.com", "api.mistral.ai", "api.x.ai",
	"api.deepseek.com", "api.cohere.ai", "api.cohere.com", "openrouter.ai",
}

// separatingModels begin the names of these services' models, which may be served by a proxy.
var separatingModels = []string{"gpt-3.5", "gpt-4", "gpt-5", "gpt-6", "chatgpt", "o1", "o3", "o4", "claude", "gemini"}

// separates reports whether the reasoning of a model at a host is known to be separate.
func separates(model, host string) bool {
	model, host = strings.ToLower(model[strings.LastIndexByte(model, '/')+1:]), strings.ToLower(host)
	if slices.ContainsFunc(separatingModels, func(begin string) bool { return strings.HasPrefix(model, begin) }) {
		return true
	}
	return slices.ContainsFunc(separatingHosts, func(known string) bool { return host == known || strings.HasSuffix(host, "."+known) })
}
