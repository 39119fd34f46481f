package mcphost

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// metaLeftOut is the _meta key under which a repaired listing says what was left out of a tool or of the
// listing. Servers cannot set it, because every listing is repaired.
const metaLeftOut = "glyphoxa/leftOut"

// object is a JSON object of which only some members are decoded.
type object map[string]json.RawMessage

func objectOf(raw json.RawMessage) object {
	var o object
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

// dropUnless removes a member that cannot be decoded into the given type of the SDK. It returns the member's
// name and type, or "" if there was nothing to remove or the member meant nothing.
func (o object) dropUnless(name string, into any) string {
	raw, given := o[name]
	switch {
	case !given:
		return ""
	case isNothing(raw):
		delete(o, name)
		return ""
	case json.Unmarshal(raw, into) == nil:
		return ""
	}
	delete(o, name)
	return fmt.Sprintf("%s (%s)", name, kindOf(raw))
}

// kindOf names the type of a JSON value, for messages.
func kindOf(raw json.RawMessage) string {
	switch raw[0] {
	case '{':
		return "an object of another form"
	case '[':
		return "a list"
	case '"':
		return "a text"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "a number"
}

// encode encodes an object that was decoded from JSON.
func (o object) encode() json.RawMessage {
	raw, err := json.Marshal(o)
	if err != nil {
		panic(err) // cannot happen, because all members were decoded from JSON
	}
	return raw
}

// set sets a member to a value that can be encoded.
func (o object) set(name string, value any) {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err) // cannot happen for the values that are set
	}
	o[name] = raw
}

// repairResult returns a result in the form that the SDK accepts.
func repairResult(method string, result json.RawMessage) json.RawMessage {
	o := objectOf(result)
	if method == methodList {
		if o == nil && result[0] == '[' {
			o = object{"tools": result}
		}
		if o != nil {
			repairListing(o)
			return o.encode()
		}
	}
	if o == nil {
		return result
	}
	repairOpening(o, method)
	return o.encode()
}

// repairOpening repairs the result of initialize or server/discover.
func repairOpening(o object, method string) {
	o.dropUnless("instructions", new(string))
	o.dropUnless("_meta", new(sdk.Meta))
	o.dropUnless("serverInfo", new(sdk.Implementation))
	o.dropUnless("ttlMs", new(int))
	o.dropUnless("cacheScope", new(string))
	if method == methodInitialize {
		var version string
		_ = json.Unmarshal(o["protocolVersion"], &version) // stays empty if it is no text
		o.set("protocolVersion", nearestProtocol(version))
	}
	declared := objectOf(o["capabilities"])
	for name, raw := range declared {
		switch {
		case isNothing(raw) || string(raw) == "true":
			declared[name] = json.RawMessage("{}")
		case raw[0] != '{':
			delete(declared, name)
		}
	}
	if declared == nil || json.Unmarshal(declared.encode(), new(sdk.ServerCapabilities)) != nil {
		declared = object{"tools": json.RawMessage("{}")} // we use nothing else
	}
	o["capabilities"] = declared.encode()
}

// protocols lists the revisions that open with "initialize", oldest first.
var protocols = []string{"2024-11-05", "2025-03-26", "2025-06-18", olderProtocol}

// nearestProtocol returns the newest revision that is not newer than the server's. A server that names none
// gets the one that we asked for. Servers of unknown revisions still list and call tools in the same way.
func nearestProtocol(version string) string {
	if version == "" {
		return olderProtocol
	}
	i, exact := slices.BinarySearch(protocols, version)
	if exact || i == 0 {
		return protocols[i]
	}
	return protocols[i-1]
}

// repairListing repairs a page of tools/list. It leaves out tools without a usable name.
func repairListing(o object) {
	var leftOut []string
	o.dropUnless("ttlMs", new(int))
	o.dropUnless("cacheScope", new(string))
	if raw := o["nextCursor"]; raw != nil {
		o.set("nextCursor", textOf(raw))
	}
	listed := listOf(o["tools"])
	if listed == nil {
		leftOut = append(leftOut, "its tools, which are not a list")
	}
	kept := []object{}
	for _, raw := range listed {
		tool := objectOf(raw)
		var name string
		switch {
		case tool == nil:
			leftOut = append(leftOut, "a tool that is "+kindOf(raw))
		case json.Unmarshal(tool["name"], &name) != nil || name == "":
			leftOut = append(leftOut, "a tool without a name")
		default:
			repairTool(tool)
			kept = append(kept, tool)
		}
	}
	o.set("tools", kept)
	o.set("_meta", map[string]any{metaLeftOut: leftOut})
}

// repairTool removes what the SDK cannot decode from a tool. The tool's _meta then says what was removed.
func repairTool(tool object) {
	var leftOut []string
	for _, other := range []string{"input_schema", "InputSchema", "inputschema", "parameters"} {
		if tool["inputSchema"] == nil && objectOf(tool[other]) != nil {
			tool["inputSchema"] = tool[other]
		}
	}
	drop := func(o object, name string, into any) {
		if what := o.dropUnless(name, into); what != "" {
			leftOut = append(leftOut, what)
		}
	}
	drop(tool, "title", new(string))
	drop(tool, "description", new(string))
	drop(tool, "icons", new([]sdk.Icon))
	drop(tool, "_meta", new(sdk.Meta))
	if hints := objectOf(tool["annotations"]); hints != nil {
		drop(hints, "title", new(string))
		for _, name := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			drop(hints, name, new(bool))
		}
		tool["annotations"] = hints.encode()
	}
	drop(tool, "annotations", new(sdk.ToolAnnotations))
	meta := objectOf(tool["_meta"])
	if delete(meta, metaLeftOut); leftOut != nil {
		if meta == nil {
			meta = object{}
		}
		meta.set(metaLeftOut, leftOut)
	}
	if meta != nil {
		tool["_meta"] = meta.encode()
	}
}

// leftOutOf returns what a repaired listing says was left out.
func leftOutOf(meta sdk.Meta) (all []string) {
	list, _ := meta[metaLeftOut].([]any)
	for _, one := range list {
		if text, ok := one.(string); ok {
			all = append(all, text)
		}
	}
	return all
}

// repairCallResult decodes the result of a tool call that the SDK cannot decode. It keeps every block of
// content that can be understood, and says in a text at the end what was left out.
func repairCallResult(raw json.RawMessage) (*sdk.CallToolResult, error) {
	o := objectOf(raw)
	if o == nil {
		o = object{"content": raw} // the content alone
	}
	if o["isError"] == nil && o["is_error"] != nil {
		o["isError"] = o["is_error"]
	}
	if isNothing(o["content"]) && isNothing(o["structuredContent"]) {
		o["content"] = bareContent(o)
	}
	var blocks []json.RawMessage
	switch content := o["content"]; {
	case isNothing(content):
	case listOf(content) != nil:
		blocks = listOf(content)
	default:
		blocks = []json.RawMessage{content}
	}
	kept := []object{}
	leftOut := map[string]int{}
	for _, block := range blocks[:min(len(blocks), maxItems)] {
		if b, kind := repairBlock(block); b != nil {
			kept = append(kept, b)
		} else {
			leftOut[kind]++
		}
	}
	for kind, n := range leftOut {
		note := object{}
		note.set("type", "text")
		note.set("text", fmt.Sprintf("[left out: %d × %s]", n, kind))
		kept = append(kept, note)
	}
	o.set("content", kept)
	if raw := o["isError"]; raw != nil {
		o.set("isError", slices.Contains([]string{"true", "1"}, strings.ToLower(textOf(raw))))
	}
	for _, name := range []string{"_meta", "resultType", "requestState", "inputRequests"} {
		probe := object{name: o[name]}
		if json.Unmarshal(probe.encode(), new(sdk.CallToolResult)) != nil {
			delete(o, name)
		}
	}
	res := new(sdk.CallToolResult)
	if err := json.Unmarshal(o.encode(), res); err != nil {
		return nil, err
	}
	return res, nil
}

// bareContent returns the content of a result that is not in the form of the protocol: its "toolResult", as in
// revision 2024-10-07, or else the members that the protocol does not know.
func bareContent(o object) json.RawMessage {
	bare := maps.Clone(o)
	for _, name := range []string{"content", "structuredContent", "isError", "_meta", "resultType", "requestState", "inputRequests"} {
		delete(bare, name)
	}
	said := string(bare.encode())
	switch {
	case o["toolResult"] != nil:
		said = textOf(o["toolResult"])
	case len(bare) == 0:
		return nil
	}
	text, err := json.Marshal(said)
	if err != nil {
		return nil
	}
	return text
}

// repairBlock returns a block of content that the SDK can decode, or nil and what the block is.
func repairBlock(raw json.RawMessage) (block object, kind string) {
	if block = objectOf(raw); block == nil {
		block = object{"text": raw}
	}
	if kind = textOf(block["type"]); kind == "" {
		kind = guessType(block)
	}
	block.set("type", kind)
	for _, other := range []string{"mime_type", "mimetype"} {
		if block["mimeType"] == nil && block[other] != nil {
			block["mimeType"] = block[other]
		}
	}
	block.dropUnless("annotations", new(sdk.Annotations))
	block.dropUnless("_meta", new(sdk.Meta))
	block.dropUnless("icons", new([]sdk.Icon))
	switch kind {
	case "text":
		block.set("text", textOf(block["text"]))
	case "image", "audio":
		block.set("mimeType", textOf(block["mimeType"]))
		if !block.repairBase64("data") {
			return nil, kind + " without readable data"
		}
	case "resource_link":
		for _, name := range []string{"uri", "name", "title", "description", "mimeType"} {
			block.set(name, textOf(block[name]))
		}
		if n, ok := integerOf(block["size"]); ok {
			block.set("size", n)
		} else {
			delete(block, "size")
		}
	case "resource":
		if !block.repairResource() {
			return nil, "resource without readable content"
		}
	}
	if json.Unmarshal(object{"content": json.RawMessage("[" + string(block.encode()) + "]")}.encode(), new(sdk.CallToolResult)) != nil {
		return nil, fmt.Sprintf("content of the type %q", cleanLine(kind))
	}
	return block, ""
}

// guessType returns the type of a block that names none.
func guessType(block object) string {
	mime := textOf(block["mimeType"])
	switch {
	case block["resource"] != nil:
		return "resource"
	case block["data"] != nil && strings.HasPrefix(mime, "audio/"):
		return "audio"
	case block["data"] != nil:
		return "image"
	case block["uri"] != nil:
		return "resource_link"
	case block["text"] != nil:
		return "text"
	}
	return ""
}

// repairResource repairs the resource embedded in a block.
func (o object) repairResource() bool {
	resource := objectOf(o["resource"])
	if resource == nil {
		return false
	}
	for _, name := range []string{"uri", "mimeType", "text"} {
		if resource[name] != nil {
			resource.set(name, textOf(resource[name]))
		}
	}
	resource.dropUnless("_meta", new(sdk.Meta))
	if resource["blob"] != nil && !resource.repairBase64("blob") {
		return false
	}
	o["resource"] = resource.encode()
	return true
}

// repairBase64 re-encodes binary data in another alphabet, with line breaks, without padding or as a data URL.
func (o object) repairBase64(name string) bool {
	text := textOf(o[name])
	if _, data, found := strings.Cut(text, ";base64,"); found {
		text = data
	}
	text = strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "", " ", "").Replace(text)
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	if err == nil {
		o.set(name, data)
	}
	return err == nil && text != ""
}
