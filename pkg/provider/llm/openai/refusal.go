package openai

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	oai "github.com/sashabaranov/go-openai"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

const (
	// mostLessons bounds how often one request is repeated because a refusal taught something.
	mostLessons = 8
	// carefulSteps is the number of steps of careful.
	carefulSteps = 3
	// longestRefusal bounds how much of a refusal is examined, in runes.
	longestRefusal = 4 << 10
)

// refusal is what an endpoint says about a request that it does not accept.
type refusal struct {
	status int    // HTTP status, or the one that an error within a stream names; 0 if none
	text   string // in lower case and without the key: the message, the parameter and the code, a line each
}

func (p *Provider) newRefusal(status int, r report) refusal {
	clean := func(s string) string {
		s = strings.ToLower(untrusted.Reason(s, p.opts.APIKey, longestRefusal))
		return strings.NewReplacer("’", "'", "`", "'", `\"`, "'", `"`, "'").Replace(s)
	}
	return refusal{status: status, text: clean(r.message) + "\n" + clean(r.param) + "\n" + clean(r.code)}
}

// teachable reports whether the status is one with which endpoints refuse the form of a request. Some use 404
// for fields that no server accepts, and 500 for errors of a chat template.
func (r refusal) teachable() bool {
	switch r.status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusProxyAuthRequired,
		http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return false
	}
	if malformedCall.MatchString(r.text) {
		return false
	}
	return noRoom.MatchString(r.text) || !otherCause.MatchString(r.text)
}

// malformedCall matches errors because the model wrote a tool call that its service cannot read. The request is
// fine, and the model may do better when it is asked again.
var malformedCall = anyOf(
	`tool_use_failed`,
	`failed_generation`,
	`failed to (call a function|parse (the )?(tool|function).?calls?)`,
	`could not parse (the )?(tool|function).?call`,
	`output_parse_failed`,
	`malformed_function_call`,
)

// noRoom matches refusals because the answer may not fit beside the prompt.
var noRoom = regexp.MustCompile(`(?s)context.{0,10}(length|window|size).*(max_\w*tokens|completion|output|in the answer)|max_\w*tokens.*context.{0,10}(length|window|size)`)

// formless reports whether the status is one with which endpoints refuse the form of a request, even if they
// do not say what is wrong with it.
func (r refusal) formless() bool {
	switch r.status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return true
	case http.StatusInternalServerError:
		return aboutForm.MatchString(r.text)
	}
	return false
}

// aboutForm matches errors of a server that stumbles over a request.
var aboutForm = anyOf(
	`template`,
	`jinja`,
	`traceback`,
	`unmarshal`,
	`json`,
	`concatenate`,
	`(type|key|value|attribute|index) ?error`,
	`has no (attribute|element)`,
	`nonetype`,
	`undefined`,
)

// otherCause matches refusals that are not about the form of the request.
var otherCause = anyOf(
	`context.{0,10}(length|window|size)`, `too many tokens`, `prompt is too long`,
	`content.?(filter|policy|management)`, `safety (system|polic|setting)`, `moderation`, `敏感`,
	`api.?key`, `authenticat`, `quota`, `billing`, `insufficient`, `credit`, `rate.?limit`, `model_not_found`,
)

// lesson is what a refusal teaches: the terms for the next attempt, and a sentence about the endpoint.
type lesson struct {
	terms *terms
	text  string
	// loses means that the NPC can do less than before.
	loses bool
}

// learn returns what a refusal of q teaches; ok is false for nothing. named tells whether the refusal names a
// cause that is known, whether or not anything can be done about it.
func (r refusal) learn(q *query) (l lesson, named, ok bool) {
	for _, rule := range rules {
		if !rule.match.MatchString(r.text) {
			continue
		}
		named = true
		next := q.terms.clone()
		if text := rule.apply(next, r, q); text != "" {
			return lesson{terms: next, text: text, loses: next.lost() > q.terms.lost()}, true, true
		}
	}
	return lesson{}, named, false
}

// rule tells how to react to a kind of refusal. apply changes the terms and returns a sentence about the
// endpoint, or nothing if the change was made before.
type rule struct {
	match *regexp.Regexp
	apply func(t *terms, r refusal, q *query) string
}

const (
	refuses  = `(not|n't|cannot|unsupported|unrecognized|unknown|unexpected|invalid|extra|forbidden|disallowed|disabled|no longer|deprecated)`
	toolWord = `(tools?|tool.?(use|calls?|calling|choice)|functions?|function.?(calls?|calling))`
)

// rules are in order of precedence: a rule for a single field comes before those for messages, because
// refusals often name the message in which they found the field. Their patterns are the words of vendors as they
// are found in public reports, such as those of vLLM, llama.cpp, Ollama, OpenAI, Google, Mistral, Anthropic and
// Amazon; see TestRefusals.
var rules = []rule{
	{match: noRoom, apply: func(t *terms, _ refusal, q *query) string {
		if q.length() == 0 {
			return ""
		}
		t.length = LengthNone
		return "has no room for a limit of length"
	}},
	{match: regexp.MustCompile(`stream_options|include_usage`), apply: func(t *terms, _ refusal, _ *query) string {
		return once(&t.noUsage, "does not report token counts in a stream; they are estimated")
	}},
	{match: anyOf(
		`\n'?stream'?\n`,
		`verified to stream`,
		`(support|allow|accept|enable|permit)\w* (\w+ ){0,4}stream`,
		`\bstream\w*(=true)?'? (\w+ ){0,3}(is|are|isn't|aren't|not) (\w+ ){0,2}(support|allow|enable|avail)`,
		`with stream`,
		`\bstream\w* (must|should|has to) be`,
		`only support\w* non.?stream`,
	), apply: func(t *terms, _ refusal, _ *query) string {
		return once(&t.whole, "does not stream; answers come in one piece")
	}},
	{match: regexp.MustCompile(`temperature`), apply: func(t *terms, _ refusal, q *query) string {
		if q.body.Temperature == 0 {
			return ""
		}
		return once(&t.noTemperature, "does not accept the temperature; its own is used")
	}},
	{match: regexp.MustCompile(`max_(completion_|output_|new_)?tokens|maxoutputtokens`), apply: applyLength},
	{match: regexp.MustCompile(`reasoning.?effort`), apply: func(t *terms, r refusal, q *query) string {
		switch {
		case t.effort != oai.ReasoningEffortNone && t.effort != leftOut && len(q.offer.wire) > 0 && withoutEffort.MatchString(r.text):
			t.effort = oai.ReasoningEffortNone
			return "accepts tools only without reasoning"
		case t.effort == "" || t.effort == leftOut:
			return ""
		}
		t.effort = leftOut
		return "does not accept the reasoning effort; its own is used"
	}},
	{match: regexp.MustCompile(`thought.?signature`), apply: func(t *terms, _ refusal, _ *query) string {
		return t.moreAsText("accepts no tool calls without its own signature; others are sent as text")
	}},
	{match: regexp.MustCompile(`reasoning|thinking|extra_content|provider_specific`), apply: applyAttached},
	{match: regexp.MustCompile(`(single|one) tool.?call|multiple tool.?calls|parallel (tool|function).?calls?`), apply: func(t *terms, _ refusal, _ *query) string {
		return once(&t.singleCalls, "accepts one tool call per message")
	}},
	{match: regexp.MustCompile(`tool.?call.?id|tool_use\.id|tool_use_id|tool_calls\W*\d*\W*id\b`), apply: func(t *terms, _ refusal, _ *query) string {
		return once(&t.shortIDs, "accepts only short IDs of tool calls")
	}},
	{match: regexp.MustCompile(`function_?response.{0,30}name|(tool|function) (message|response|result)s?.{0,30}\bname\b|name cannot be empty`), apply: func(t *terms, _ refusal, q *query) string {
		if !q.hasCalls() {
			return ""
		}
		return once(&t.resultNames, "wants the name of the tool with its result")
	}},
	{match: regexp.MustCompile(`either content or tool|both content and tool|content.{0,20}tool_?calls.{0,20}both`), apply: func(t *terms, _ refusal, q *query) string {
		if !q.hasCalls() {
			return ""
		}
		return once(&t.onlyCalls, "accepts no text beside tool calls")
	}},
	{match: anyOf(
		refuses+`.{0,40}\b`+toolWord+`\b`,
		`\b`+toolWord+`\b.{0,60}(not |n't |un)(support|enabl|avail|allow|implement|permit)`,
		`support tool`, `parameter '?tools\b`, `--jinja`, `tool-call-parser`, `\n'?tools'?\n`,
	), apply: func(t *terms, r refusal, q *query) string {
		if len(q.offer.wire) == 0 || q.hasCalls() && aboutHistory.MatchString(r.text) || aboutSchema.MatchString(r.text) || aboutOrder.MatchString(r.text) || tooMany.MatchString(r.text) {
			return ""
		}
		return once(&t.noTools, "does not accept tools; the NPCs answer without them")
	}},
	{match: anyOf(
		`role.{0,10}'?tool\b`,
		`'?tool'? (role|message)`,
		`tools?=?'? (param|must be|is required|are required)`,
		`tool_?config (field )?must`,
		`tool.{0,12}results?\b`,
		`requires? .{0,20}tools`,
	), apply: func(t *terms, r refusal, q *query) string {
		switch {
		case !q.hasCalls():
			return ""
		case len(q.offer.wire) == 0 && !t.textWithoutTools:
			t.textWithoutTools = true
			return "accepts tool calls in a conversation only with tools; without, they are sent as text"
		case !t.noNoteAfter && afterResult.MatchString(r.text):
			t.noNoteAfter = true
			return "accepts no message between a tool's result and the answer"
		case !t.alternate && aboutOrder.MatchString(r.text):
			return ""
		}
		return t.allAsText("does not accept the results of tools in a conversation; they are sent as text")
	}},
	{match: tooMany, apply: applyCount},
	{match: aboutSchema, apply: applySchema},
	{match: aboutOrder, apply: applyOrder},
	{match: anyOf(
		`system (role|message|prompt|instruction)s? (\w+ ){0,2}(not|n't|unsupported)`,
		`(not|n't) (\w+ )?(support|allow|accept|permit|have|enabl)\w*( \w+)? '?(system|developer)`,
		`developer instruction`,
		`(invalid|unknown|unsupported)[\w ]*role\W*(system|developer)`,
		`only .{0,12}user.{0,8}assistant.{0,12}roles`,
		`role.{0,60}(one of|expected|must be|should be).{0,40}user`,
	), apply: func(t *terms, r refusal, _ *query) string {
		if t.system == SystemNone || onlyFirst.MatchString(r.text) {
			return t.earlierSystem()
		}
		t.system = SystemNone
		return "does not accept system messages; they are sent as part of players' messages"
	}},
	{match: anyOf(
		`nonetype`,
		`\bnull\b`,
		`deserializ`,
		`untagged enum`,
		`any variant`,
		`at least (one content|1 token|one token)`,
		`must (have|contain|include) (non-?empty )?content`,
		`content.{0,60}(null|missing|required|none|empty|blank|string)`,
		`(null|missing|required|expected|empty|blank).{0,60}content`,
	), apply: func(t *terms, r refusal, q *query) string {
		value := ""
		if t.content != nil || aboutEmpty.MatchString(r.text) {
			value = pause
		}
		if !q.hasCalls() || t.content != nil && *t.content == value {
			return ""
		}
		t.content = &value
		return "needs a text beside tool calls"
	}},
	{match: messagePlace, apply: applyMessage},
	{match: regexp.MustCompile(`\bsystem\b|\brole\b|chat setting`), apply: func(t *terms, _ refusal, q *query) string {
		if !q.hasSystem() {
			return ""
		}
		return t.earlierSystem()
	}},
}

var (
	// onlyFirst matches refusals of system messages other than the first.
	onlyFirst = regexp.MustCompile(`begin|\bfirst|\bstart|\bonly (one|a single)|multiple|several|\bonce\b|after`)
	// aboutOrder matches refusals of the order of messages.
	aboutOrder = anyOf(
		`alternat`,
		`successive`,
		`consecutive`,
		`interleav`,
		`(after|before|last|first|previous|following) (the )?(role|turn|message|user|assistant)`,
		`(start|begin|end)s? with (an? )?'?(user|assistant)`,
		`(function|tool|user|model) (call |response )?turn`,
		`roles? must`,
		`(same|two) roles?`,
		`in a row`,
		`no user (query|message)`,
		`prefil`,
		`messages? ?(parameter|参数)`,
		`(even|odd) (index|number)`,
		`交替`,
		`最后`,
	)
	// aboutHistory matches refusals of calls and results in a conversation, rather than of tools.
	aboutHistory = regexp.MustCompile(`results?\b|tool_calls|tool_call_id|tool_use|role\W{0,3}tool\b|messages?[.\[/ #]{1,2}\d`)
	// aboutSchema matches refusals of the schema or the name of a tool.
	aboutSchema = anyOf(
		`schema`,
		`function_?declarations?`,
		`tools[.\[/ #]{1,2}\d+`,
		`tools?\.function`,
		`functions?[.\[/ #]{1,2}\d+`,
		`\.parameters`,
		`parameters\.`,
		`parameters (schema|of|for|are|is|must)`,
		`propert(y|ies)\b.*(tool|function)`,
		`(tool|function)\b.*propert(y|ies)`,
		`invalid (tool|function) name`,
		`grammar`,
		`\$ref`,
		`\$defs`,
	)
	// tooMany matches refusals of the number of tools.
	tooMany = anyOf(
		`too many (tools|functions)`,
		`(tools|functions)\b[^.\[]{0,40}(too long|too many|at most|up to|maximum|limit|exceed).{0,80}\d`,
		`(at most|up to|maximum( of)?|limit( of)?|more than) \d+ (tools|functions)`,
	)
	// afterResult matches refusals of a message right after a tool's result.
	afterResult = regexp.MustCompile(`(user|system)'?\W* (role )?after\W+(a )?(role )?\W*tool`)
	// withoutEffort matches refusals of tools beside reasoning.
	withoutEffort = regexp.MustCompile(`tools?\b.*'?none'?|'none'.*tools?\b`)
	// aboutEmpty matches refusals of an empty text, aboutMissing those that miss something, and aboutField those
	// of a field that is not known.
	aboutEmpty   = regexp.MustCompile(`empty|blank|whitespace|at least|must (have|contain|include)`)
	aboutMissing = regexp.MustCompile(`must be (passed|sent|provided|returned|included)|missing|required|pass(ed)? back|expected|must start`)
	aboutField   = regexp.MustCompile(`unsupported parameter|not supported|unknown|unrecognized|not permitted|unexpected|extra|use 'max`)
	number       = regexp.MustCompile(`\d+`)
)

// anyOf returns a pattern that matches if one of patterns does.
func anyOf(patterns ...string) *regexp.Regexp {
	return regexp.MustCompile("(?:" + strings.Join(patterns, ")|(?:") + ")")
}

// once sets a flag and returns text, or nothing if the flag is set.
func once(flag *bool, text string) string {
	if *flag {
		return ""
	}
	*flag = true
	return text
}

// earlierSystem restricts where system messages are sent by one step.
func (t *terms) earlierSystem() string {
	switch t.system {
	case SystemNone:
		return ""
	case SystemOne:
		t.system = SystemNone
		return "does not accept system messages; they are sent as part of players' messages"
	}
	t.system = SystemOne
	return "accepts one system message at the beginning; later ones are sent as part of players' messages"
}

// moreAsText sends more tool calls as text, by one step.
func (t *terms) moreAsText(text string) string {
	if t.callsAsText == allCalls {
		return ""
	}
	t.callsAsText++
	return text
}

func (t *terms) allAsText(text string) string {
	if t.callsAsText == allCalls {
		return ""
	}
	t.callsAsText = allCalls
	return text
}

// applyOrder makes messages alternate, and reduces the roles in use if that does not suffice.
func applyOrder(t *terms, r refusal, q *query) string {
	switch {
	case !t.alternate:
		t.alternate = true
		if t.system != SystemNone && q.hasSystem() {
			t.system = SystemOne
		}
		return "accepts only messages that alternate between players and the NPC"
	case t.system != SystemNone && q.hasSystem():
		return t.earlierSystem()
	case q.hasCalls():
		return t.allAsText("does not accept tool calls in a conversation; they are sent as text")
	}
	return ""
}

// lengthCap matches the greatest length that a refusal names.
var lengthCap = anyOf(
	`(?:at most|up to|less than or equal to|<=|≤|maximum(?: value| allowed| output)?(?: is| of|:)?|limit(?: is| of|:)?)\D{0,16}(\d+)`,
	`\[\d+, ?(\d+)\]`,
)

func applyLength(t *terms, r refusal, q *query) string {
	sent := q.length()
	if sent == 0 {
		return ""
	}
	unknown := aboutField.MatchString(r.text)
	if m := lengthCap.FindStringSubmatch(r.text); m != nil && !unknown {
		if n, err := strconv.Atoi(m[1] + m[2]); err == nil && n > 0 && n < sent {
			t.longest = n
			return "answers with at most " + strconv.Itoa(n) + " tokens"
		}
	}
	switch {
	case t.otherLength || !unknown:
		t.length = LengthNone
		return "does not accept a limit of length"
	case t.length == LengthNew:
		t.length = LengthOld
	default:
		t.length = LengthNew
	}
	t.otherLength = true
	return "wants the limit of length as " + t.length
}

// applyAttached reacts to a refusal of what is sent back with a tool call, or to one that misses it.
func applyAttached(t *terms, r refusal, q *query) string {
	names := q.attached()
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) }) // the longest match is the field that is meant
	missing := aboutMissing.MatchString(r.text)
	for _, name := range names {
		if !missing && strings.Contains(r.text, strings.ToLower(name)) {
			t.dropped = append(t.dropped, name)
			return "does not accept its own field " + name + " back"
		}
	}
	switch {
	case !missing && slices.ContainsFunc(names, isReasoningField):
		return once(&t.reasoningStays, "does not accept its own reasoning back")
	case !missing || !q.hasAssistant():
		return ""
	case !t.placeholder && strings.Contains(r.text, reasoningContent):
		t.placeholder = true
		return "wants reasoning with every message of an NPC"
	case q.hasCalls():
		return t.moreAsText("accepts no tool calls without its own reasoning; others are sent as text")
	}
	return ""
}

func applyCount(t *terms, r refusal, q *query) string {
	sent := len(q.offer.wire)
	if sent == 0 {
		return ""
	}
	limit := 0
	for _, s := range number.FindAllString(r.text, -1) {
		if n, err := strconv.Atoi(s); err == nil && n > 0 && n < sent {
			limit = max(limit, n)
		}
	}
	if limit == 0 {
		return ""
	}
	t.maxTools = limit
	return "accepts at most " + strconv.Itoa(limit) + " tools; it does without " + strings.Join(q.offer.names[limit:], ", ")
}

// applySchema sends the schemas of the tools that a refusal names in a simpler form, and leaves those tools out
// that are refused again. A refusal that names none may mean any tool: then all are simplified, and at last those
// left out that are not simple.
func applySchema(t *terms, r refusal, q *query) string {
	offered := q.offer
	if len(offered.wire) == 0 {
		return ""
	}
	before := len(t.forms)
	var simpler, left []string
	for _, name := range offered.refusedIn(r.text) {
		switch {
		case !t.reduce(name):
		case t.formOf(name) == formLeftOut:
			left = append(left, name)
		default:
			simpler = append(simpler, name)
		}
	}
	switch {
	case len(left) > 0 && t.lost() <= mostSingle:
		return "does not accept the schema of " + strings.Join(left, ", ") + "; the NPCs do without"
	case len(simpler) > 0 && before == 0:
		return "does not accept the schema of " + strings.Join(simpler, ", ") + "; it gets a simpler one"
	case len(left) == 0 && t.reduce(allTools):
		return "does not accept the schemas of tools; all get simpler ones"
	}
	for i, name := range offered.names {
		if offered.complex(i) && t.reduce(name) {
			left = append(left, name)
		}
	}
	if len(left) == 0 || len(left) == len(offered.names) {
		return once(&t.noTools, "does not accept the schemas of tools; the NPCs answer without tools")
	}
	return "does not accept the schemas of tools; the NPCs do without " + strings.Join(left, ", ")
}

// mostSingle is how many tools are left out one by one. If more are refused, all that are not simple are left
// out, because each costs a request.
const mostSingle = 2

// messagePlace matches the place in which a refusal names a message by its number.
var messagePlace = regexp.MustCompile(`messages?[.\[/ #]{1,2}(\d+)`)

// applyMessage changes what is wrong with the message that a refusal names by its number.
func applyMessage(t *terms, r refusal, q *query) string {
	m := messagePlace.FindStringSubmatch(r.text)
	n, err := strconv.Atoi(m[1])
	if err != nil || n >= len(q.body.Messages) {
		return ""
	}
	switch message := q.body.Messages[n]; {
	case message.Role == system:
		return t.earlierSystem()
	case message.Role == tool || len(message.ToolCalls) > 0:
		if !t.reasoningStays && slices.ContainsFunc(q.attached(), isReasoningField) {
			t.reasoningStays = true
			return "does not accept its own reasoning back"
		}
		return t.allAsText("does not accept tool calls in a conversation; they are sent as text")
	}
	return applyOrder(t, r, q)
}

// Patterns of the places in which refusals name a tool by its number, the innermost first.
var toolPlaces = []*regexp.Regexp{
	regexp.MustCompile(`function_?declarations\W{0,2}(\d+)`),
	regexp.MustCompile(`functions[.\[/ #]{1,2}(\d+)`),
	regexp.MustCompile(`tools[.\[/ #]{1,2}(\d+)`),
}

// refusedIn returns the tools that the text of a refusal names.
func (o *offer) refusedIn(text string) (names []string) {
	for _, place := range toolPlaces {
		for _, m := range place.FindAllStringSubmatch(text, -1) {
			n, err := strconv.Atoi(m[1])
			if strings.Contains(text, m[0]+".member") {
				n-- // Amazon counts from one
			}
			if err == nil && n >= 0 && n < len(o.names) && !slices.Contains(names, o.names[n]) {
				names = append(names, o.names[n])
			}
		}
		if len(names) > 0 {
			return names
		}
	}
	longest := "" // of names that contain each other
	for _, name := range o.names {
		sent := strings.ToLower(o.wireName(name))
		named := regexp.MustCompile(`(?:'|\b(?:tool|function)s?[: ]+)` + regexp.QuoteMeta(sent) + `(?:'|\b)`)
		if len(name) > len(longest) && named.MatchString(text) {
			longest = name
		}
	}
	if longest != "" {
		names = append(names, longest)
	}
	return names
}

// complex reports whether the schema of the tool at place i has more than simple properties.
func (o *offer) complex(i int) bool {
	parameters, _ := o.wire[i].Function.Parameters.(map[string]any)
	properties, _ := parameters["properties"].(map[string]any)
	if len(properties) == 0 || len(o.args[o.names[i]]) > 0 {
		return true
	}
	for _, p := range properties {
		m, _ := p.(map[string]any)
		if m["properties"] != nil || m["items"] != nil || m["enum"] != nil || m["type"] == "object" {
			return true
		}
	}
	return false
}

// length returns the limit of length that was sent, 0 for none.
func (q *query) length() int {
	//lint:ignore SA1019 other services know only the old field
	return max(q.body.MaxTokens, q.body.MaxCompletionTokens, q.maxTokens)
}

func (q *query) hasRole(role string) bool {
	return slices.ContainsFunc(q.body.Messages, func(m oai.ChatCompletionMessage) bool { return m.Role == role })
}

func (q *query) hasSystem() bool    { return q.hasRole(system) }
func (q *query) hasAssistant() bool { return q.hasRole(assistant) }

// hasCalls reports whether the conversation contains tool calls.
func (q *query) hasCalls() bool {
	return slices.ContainsFunc(q.body.Messages, func(m oai.ChatCompletionMessage) bool { return len(m.ToolCalls) > 0 })
}

// attached returns the names of the fields that are sent beside those of the client library.
func (q *query) attached() (names []string) {
	for _, e := range q.extras {
		for name := range e.fields {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// careful returns the terms to try when an endpoint refuses a request of a kind that it has not accepted yet
// without naming a known cause: step 0 leaves out the token counts, step 1 whatever some endpoint does not
// accept, step 2 the tools or, if the conversation has calls, those.
func careful(t *terms, step int, q *query) (l lesson, ok bool) {
	next := t.clone()
	l = lesson{terms: next, text: "refused a request without a reason that is known; it accepts the usual ones in a simpler form"}
	switch step {
	case 0:
		next.noUsage = true
		l.text = "does not report token counts in a stream; they are estimated"
		return l, !t.noUsage
	case 1:
		next.noUsage, next.noTemperature, next.alternate, next.noNoteAfter, next.shortIDs = true, true, true, true, true
		text := pause
		next.content = &text
		next.reasoningStays, next.singleCalls = true, true
		if next.system != SystemNone {
			next.system = SystemOne
		}
		next.reduce(allTools)
	case 2:
		if q.hasCalls() {
			next.callsAsText = allCalls
			l.text += ", with tool calls as text"
			break
		}
		next.noTools, l.loses = true, true
		l.text += ", without tools"
	default:
		return l, false
	}
	return l, true
}
