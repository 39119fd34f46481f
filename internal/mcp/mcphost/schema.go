package mcphost

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// maxArguments bounds the arguments of one call in bytes.
const maxArguments = 8 << 20

// Schema checks values against a JSON Schema (draft 2020-12). It is immutable.
type Schema struct {
	root   *jsonschema.Schema
	full   *jsonschema.Resolved // of root; nil if values cannot be checked here
	flat   *flatSchema          // nil if the schema is too complex for flatSchema
	fanOut int                  // see fanOut
}

// CompileArguments compiles a tool's parameters, which may hold any Go values that marshal to a JSON Schema
// of type "object". Nil means any object.
func CompileArguments(parameters map[string]any) (*Schema, error) {
	if parameters == nil {
		parameters = map[string]any{"type": "object"}
	}
	raw, err := json.Marshal(parameters)
	if err != nil {
		return nil, fmt.Errorf("encoding the parameter schema: %w", err)
	}
	s, err := CompileSchema(raw)
	if err != nil {
		return nil, fmt.Errorf("reading the parameter schema: %w", err)
	}
	if kind := s.root.Type; kind != "object" {
		return nil, fmt.Errorf("the parameter schema has type %q, want \"object\"", kind)
	}
	s.flat = flatten(raw)
	return s, nil
}

// Properties returns the top-level properties of the schema.
func (s *Schema) Properties() map[string]*jsonschema.Schema { return s.root.Properties }

// CompileSchema compiles any schema. It returns an error for a schema on which the validator might not
// terminate.
func CompileSchema(raw []byte) (s *Schema, err error) {
	defer func() {
		if p := recover(); p != nil {
			s, err = nil, fmt.Errorf("the schema cannot be resolved: %v", p)
		}
	}()
	var tree map[string]any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return nil, errors.New("it is no JSON object")
	}
	s = &Schema{}
	if s.fanOut, err = fanOut(tree); err != nil {
		return nil, err
	}
	s.root = new(jsonschema.Schema)
	if err := json.Unmarshal(raw, s.root); err != nil {
		return nil, err
	}
	if s.full, err = s.root.Resolve(nil); err != nil {
		return nil, err
	}
	return s, nil
}

// FitArguments returns args in the form that the schema accepts. Models write numbers, booleans, arrays and
// objects as texts; such a text is decoded unless the schema allows texts there. They also write null for
// arguments they omit, so a null that does not fit, or whose name is unknown, counts as omitted. Any other
// value under an unknown name is an error, even an empty string, because it may be meant for another argument.
func (s *Schema) FitArguments(args string) (string, error) {
	err := s.CheckArguments(args)
	if err == nil && s.full != nil {
		return args, nil
	}
	if coerced := s.coerceArguments(args); coerced != args {
		args, err = coerced, s.CheckArguments(coerced)
	}
	if err == nil || !strings.Contains(args, "null") || len(args) > maxArguments {
		return args, err
	}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &object) != nil {
		return args, err
	}
	maps.DeleteFunc(object, func(_ string, v json.RawMessage) bool { return string(v) == "null" })
	leaner, broken := json.Marshal(object)
	if broken != nil || s.CheckArguments(string(leaner)) != nil {
		return args, err
	}
	return string(leaner), nil
}

// CheckArguments returns an error that wraps [mcp.ErrInvalidArguments] if args do not fit the schema.
func (s *Schema) CheckArguments(args string) error {
	if s.flat != nil && s.flat.accepts(args) {
		return nil
	}
	if len(args) > maxArguments {
		return fmt.Errorf("%w: %d bytes are more than the %d allowed", mcp.ErrInvalidArguments, len(args), maxArguments)
	}
	var value any
	if err := json.Unmarshal([]byte(args), &value); err != nil {
		return fmt.Errorf("%w: not valid JSON: %v", mcp.ErrInvalidArguments, err)
	}
	if _, ok := value.(map[string]any); !ok {
		return fmt.Errorf("%w: want a JSON object", mcp.ErrInvalidArguments)
	}
	if s.full == nil || tooCostly(s.fanOut, value) {
		return nil // see CheckValue
	}
	if says := UnknownArgument(s.root, value); says != "" {
		return fmt.Errorf("%w: %s", mcp.ErrInvalidArguments, says)
	}
	if err := s.CheckValue(value); err != nil {
		return fmt.Errorf("%w: %w", mcp.ErrInvalidArguments, err)
	}
	return nil
}

// CheckValue returns an error if a decoded JSON value does not fit the schema. The error names the place and
// what is expected there, and never quotes the value. CheckValue accepts a value that would take too long to
// check; the tool has to check it then.
func (s *Schema) CheckValue(value any) (err error) {
	if s.full == nil || tooCostly(s.fanOut, value) {
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("the value cannot be checked")
		}
	}()
	if m := misfitsOf(s.root).in(s.root, value, ""); m != nil {
		return errors.New(m.String()) // the validator's own error would quote the whole value
	}
	if s.full.Validate(value) != nil {
		return errors.New(noFit)
	}
	return nil
}

// flatSchema recognises, without allocating, the plain arguments of most tools: one object of declared scalar
// properties. Arguments that it does not accept may still be valid, so the full validator checks those.
type flatSchema struct {
	properties []flatProperty
	required   uint64 // bit i stands for properties[i]
}

type flatProperty struct {
	name string
	kind byte     // 's', 'i', 'n' or 'b'
	enum []string // for strings; nil means any
	// min and max bound the length of a string or the value of an integer.
	min, max int64
}

// flatten returns the flat form of a schema, or nil if it has none.
func flatten(raw []byte) *flatSchema {
	var top struct {
		Schema      json.RawMessage            `json:"$schema"`
		Type        string                     `json:"type"`
		Title       json.RawMessage            `json:"title"`
		Description json.RawMessage            `json:"description"`
		Properties  map[string]json.RawMessage `json:"properties"`
		Required    []string                   `json:"required"`
		Additional  *bool                      `json:"additionalProperties"`
	}
	if decodeStrictly(raw, &top) != nil || len(top.Properties) > 64 {
		return nil
	}
	f := &flatSchema{}
	for name, raw := range top.Properties {
		p, ok := flattenProperty(name, raw)
		if !ok {
			return nil
		}
		f.properties = append(f.properties, p)
	}
	for _, name := range top.Required {
		i := f.index(name)
		if i < 0 {
			return nil
		}
		f.required |= 1 << i
	}
	return f
}

func flattenProperty(name string, raw []byte) (flatProperty, bool) {
	var p struct {
		Type        string          `json:"type"`
		Title       json.RawMessage `json:"title"`
		Description json.RawMessage `json:"description"`
		Default     json.RawMessage `json:"default"`
		Examples    json.RawMessage `json:"examples"`
		Enum        []string        `json:"enum"`
		MinLength   *int64          `json:"minLength"`
		MaxLength   *int64          `json:"maxLength"`
		Minimum     *int64          `json:"minimum"`
		Maximum     *int64          `json:"maximum"`
	}
	if decodeStrictly(raw, &p) != nil {
		return flatProperty{}, false
	}
	kinds := map[string]byte{"string": 's', "integer": 'i', "number": 'n', "boolean": 'b'}
	f := flatProperty{name: name, kind: kinds[p.Type], enum: p.Enum, min: math.MinInt64, max: math.MaxInt64}
	lower, upper := p.Minimum, p.Maximum
	if f.kind == 's' {
		lower, upper = p.MinLength, p.MaxLength
	}
	if lower != nil {
		f.min = *lower
	}
	if upper != nil {
		f.max = *upper
	}
	bounded := p.Minimum != nil || p.Maximum != nil
	sized := p.MinLength != nil || p.MaxLength != nil
	fits := f.kind != 0 && (p.Enum == nil || f.kind == 's') && (!bounded || f.kind == 'i') && (!sized || f.kind == 's')
	return f, fits
}

func decodeStrictly(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

func (f *flatSchema) index(name string) int {
	for i := range f.properties {
		if f.properties[i].name == name {
			return i
		}
	}
	return -1
}

// accepts reports whether args certainly fit. It reads the plain output of JSON encoders: no escapes,
// exponents, or repeated or undeclared keys.
func (f *flatSchema) accepts(args string) bool {
	s := scanner{text: args}
	var seen uint64
	if !s.skipByte('{') {
		return false
	}
	for !s.skipByte('}') {
		if seen != 0 && !s.skipByte(',') {
			return false
		}
		key, ok := s.readString()
		i := f.index(key)
		if !ok || i < 0 || seen&(1<<i) != 0 || !s.skipByte(':') || !s.skipValue(&f.properties[i]) {
			return false
		}
		seen |= 1 << i
	}
	s.skipSpace()
	return s.pos == len(args) && seen&f.required == f.required
}

// scanner reads plain JSON tokens.
type scanner struct {
	text string
	pos  int
}

func (s *scanner) skipSpace() {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// skipByte skips white space and consumes c if it is next.
func (s *scanner) skipByte(c byte) bool {
	s.skipSpace()
	if s.pos < len(s.text) && s.text[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

// readString reads a string of printable ASCII without escapes.
func (s *scanner) readString() (string, bool) {
	if !s.skipByte('"') {
		return "", false
	}
	start := s.pos
	for ; s.pos < len(s.text); s.pos++ {
		switch c := s.text[s.pos]; {
		case c == '"':
			s.pos++
			return s.text[start : s.pos-1], true
		case c == '\\' || c < ' ' || c >= 0x7f:
			return "", false
		}
	}
	return "", false
}

func (s *scanner) skipValue(p *flatProperty) bool {
	switch p.kind {
	case 's':
		text, ok := s.readString()
		if n := int64(len(text)); !ok || n < p.min || n > p.max || p.enum == nil {
			return ok && n >= p.min && n <= p.max
		}
		for _, e := range p.enum {
			if e == text {
				return true
			}
		}
		return false
	case 'b':
		return s.skipWord("true") || s.skipWord("false")
	}
	return s.skipNumber(p)
}

func (s *scanner) skipWord(w string) bool {
	s.skipSpace()
	if strings.HasPrefix(s.text[s.pos:], w) {
		s.pos += len(w)
		return true
	}
	return false
}

// skipNumber reads up to 15 digits, and a fraction if the property is a number.
func (s *scanner) skipNumber(p *flatProperty) bool {
	negative := s.skipByte('-')
	start := s.pos
	var v int64
	for ; s.atDigit(); s.pos++ {
		if s.pos-start == 15 {
			return false
		}
		v = v*10 + int64(s.text[s.pos]-'0')
	}
	if n := s.pos - start; n == 0 || n > 1 && s.text[start] == '0' {
		return false
	}
	if negative {
		v = -v
	}
	if v < p.min || v > p.max {
		return false
	}
	if s.pos < len(s.text) && s.text[s.pos] == '.' && p.kind == 'n' {
		s.pos++
		start := s.pos
		for ; s.atDigit(); s.pos++ {
		}
		if s.pos == start {
			return false
		}
	}
	return s.pos == len(s.text) || strings.IndexByte(" \t\r\n,}", s.text[s.pos]) >= 0
}

func (s *scanner) atDigit() bool {
	return s.pos < len(s.text) && '0' <= s.text[s.pos] && s.text[s.pos] <= '9'
}
