package mcphost

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// Limits for what external servers declare (docs/adr/0010), in characters unless noted.
const (
	maxDescription = 2000
	maxTitle       = 200
	maxSchema      = 64 << 10  // bytes of an encoded schema
	maxDefinition  = 256 << 10 // bytes of an encoded definition
	maxForeignName = 1024      // bytes
)

type wireError = jsonrpc.Error

const codeInvalidParams = jsonrpc.CodeInvalidParams

// ServerTool is a server's tool as declared in its definition, under the server's own name. It is immutable.
type ServerTool struct {
	tools.Tool
	Server *Server
	// Input validates arguments.
	Input *Schema
	// Deadline bounds one call as the operator configured it. If 0, the tool's own declaration applies.
	Deadline time.Duration
	// MayProbe says that the operator allows probes of the tool, whatever the tool declares.
	MayProbe bool
	// LeftOut says what of the definition cannot be used. The tool is used without it.
	LeftOut []string

	output *Schema // of structured content; nil if it is not checked
}

// newTool converts a server's definition to a tool. Annotations are only hints: they decide whether the tool
// may be probed and whether a failed call may be repeated.
func (s *Server) newTool(d *sdk.Tool) (*ServerTool, error) {
	if len(d.Name) > maxForeignName {
		return nil, fmt.Errorf("its name has %d bytes, more than the %d allowed", len(d.Name), maxForeignName)
	}
	leftOut := leftOutOf(d.Meta)
	declared, err := cleanSchema(d.InputSchema)
	switch {
	case errors.Is(err, errNoObject):
		leftOut = append(leftOut, "inputSchema, which is not an object")
	case err != nil:
		return nil, fmt.Errorf("reading its input schema: %w", err)
	}
	parameters, input, notes := CompileForeign(declared)
	t := &ServerTool{
		Tool: tools.Tool{
			Definition: llm.ToolDefinition{
				Name:        d.Name,
				Description: untrusted.Clean(d.Description, maxDescription),
				Parameters:  parameters,
			},
			Title:       untrusted.Clean(d.Title, maxTitle),
			Destructive: true,
			OpenWorld:   true,
			KeepsWorld:  d.Annotations == nil, // without annotations, the server does not claim that it changes anything
			Floor:       s.cfg.Floors[d.Name],
		},
		Server:   s,
		Input:    input,
		MayProbe: slices.Contains(s.cfg.Probe, d.Name),
	}
	applyAnnotations(&t.Tool, d.Annotations)
	applyMeta(&t.Tool, d.Meta)
	t.OutputSchema, t.output, err = outputSchema(d)
	if err != nil {
		notes = append(notes, "outputSchema ("+cleanLine(err.Error())+")")
	}
	t.LeftOut = boundNotes(append(leftOut, notes...))
	if t.LeftOut != nil {
		s.log.Warn("tool taken without a part", "tool", cleanLine(d.Name), "left_out", strings.Join(t.LeftOut, "; "))
	}
	if t.Deadline = time.Duration(s.cfg.CallTimeout); t.Deadline > 0 && t.Definition.MaxDurationMs > 0 {
		t.Deadline = min(t.Deadline, time.Duration(t.Definition.MaxDurationMs)*time.Millisecond)
	}
	return t, nil
}

// maxNotes bounds how many parts that were left out are listed.
const maxNotes = 8

// boundNotes cleans and bounds a list of what was left out.
func boundNotes(notes []string) []string {
	if more := len(notes) - maxNotes; more > 0 {
		notes = append(notes[:maxNotes:maxNotes], fmt.Sprintf("%d more", more))
	}
	for i := range notes {
		notes[i] = cleanLine(notes[i])
	}
	return notes
}

// outputSchema returns the declared output schema, raw and compiled. The tool works without an unusable one.
func outputSchema(d *sdk.Tool) (map[string]any, *Schema, error) {
	declared, err := cleanSchema(d.OutputSchema)
	if err != nil || declared == nil {
		return nil, nil, err
	}
	(&repairer{}).repairSchema("", declared)
	compiled, err := CompileSchema(encodeObject(declared))
	if err != nil {
		return nil, nil, err
	}
	return declared, compiled, nil
}

func applyAnnotations(def *tools.Tool, a *sdk.ToolAnnotations) {
	if a == nil {
		return
	}
	def.ReadOnly = a.ReadOnlyHint
	def.Definition.Idempotent = a.IdempotentHint || a.ReadOnlyHint
	def.Destructive = !a.ReadOnlyHint && (a.DestructiveHint == nil || *a.DestructiveHint)
	def.OpenWorld = a.OpenWorldHint == nil || *a.OpenWorldHint
	if def.Title == "" {
		def.Title = untrusted.Clean(a.Title, maxTitle)
	}
}

// Keys in a tool's _meta for declarations of its author (docs/tools.md).
const (
	metaEstimated = "glyphoxa/estimatedDurationMs"
	metaMax       = "glyphoxa/maxDurationMs"
	metaIdempot   = "glyphoxa/idempotent"
	metaCacheable = "glyphoxa/cacheableSeconds"
	metaTier      = "glyphoxa/tier"
)

// maxHint bounds declared numbers. For milliseconds, it is one day.
const maxHint = 24 * 60 * 60 * 1000

// applyMeta applies the declarations in a tool's _meta. A declared tier is a floor, so it can only make the
// tool slower.
func applyMeta(def *tools.Tool, meta sdk.Meta) {
	number := func(key string) int {
		n, ok := meta[key].(float64)
		if !ok || !(n > 0) {
			return 0
		}
		return int(min(n, maxHint))
	}
	def.Definition.EstimatedDurationMs = number(metaEstimated)
	def.Definition.MaxDurationMs = number(metaMax)
	def.Definition.CacheableSeconds = number(metaCacheable)
	if idempotent, ok := meta[metaIdempot].(bool); ok {
		def.Definition.Idempotent = idempotent
	}
	if name, ok := meta[metaTier].(string); ok {
		if tier, err := mcp.ParseTier(name); err == nil {
			def.Floor = max(def.Floor, tier)
		}
	}
}

// errNoObject means that a schema is not a JSON object.
var errNoObject = errors.New("it is not a JSON object")

// cleanSchema decodes a schema from the SDK; nil and an empty list stay nil. It cleans the text, because
// models read it, and replaces a dialect that the validator does not support with the nearest one.
func cleanSchema(v any) (map[string]any, error) {
	if list, ok := v.([]any); v == nil || ok && len(list) == 0 {
		return nil, nil
	}
	if text, ok := v.(string); ok && json.Unmarshal([]byte(text), &v) != nil { // a schema encoded twice
		return nil, errNoObject
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if len(raw) > maxSchema {
		return nil, fmt.Errorf("it has %d bytes, more than the %d allowed", len(raw), maxSchema)
	}
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, errNoObject
	}
	clean, ok := cleanStrings(m, maxDescription).(map[string]any)
	if !ok {
		return nil, nil
	}
	switch dialect, _ := clean["$schema"].(string); {
	case strings.Contains(dialect, "draft-0"):
		clean["$schema"] = "http://json-schema.org/draft-07/schema#"
	case dialect != "https://json-schema.org/draft/2020-12/schema":
		delete(clean, "$schema")
	}
	return clean, nil
}

// encodeObject encodes a decoded JSON object.
func encodeObject(m map[string]any) []byte {
	raw, err := json.Marshal(m)
	if err != nil {
		panic(err) // cannot happen, because it was decoded from JSON
	}
	return raw
}

// cleanStrings returns v with all strings and keys cleaned. If limit is positive, it cuts strings under
// "description" and "title" to that many characters.
func cleanStrings(v any, limit int) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			clean := untrusted.Clean(key, 0)
			if clean != key {
				delete(v, key)
			}
			if text, ok := value.(string); ok && (clean == "description" || clean == "title") {
				v[clean] = untrusted.Clean(text, limit)
				continue
			}
			v[clean] = cleanStrings(value, limit)
		}
	case []any:
		for i, item := range v {
			v[i] = cleanStrings(item, limit)
		}
	case string:
		return untrusted.Clean(v, 0)
	}
	return v
}
