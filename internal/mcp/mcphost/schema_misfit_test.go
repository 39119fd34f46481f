package mcphost

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestMisfitsNameTheArgumentAndNotItsValue(t *testing.T) {
	const secret = "sk-live-0123456789"
	for _, row := range []struct{ name, schema, args, says string }{
		{"type", `{"properties":{"location":{"type":"string"}}}`, `{"location":5}`, "`location` must be a string"},
		{"type of an object", `{"properties":{"n":{"type":"integer"}}}`, `{"n":{"key":"` + secret + `"}}`, "`n` must be an integer"},
		{"types", `{"properties":{"n":{"type":["integer","null"]}}}`, `{"n":"` + secret + `"}`, "`n` must be an integer or null"},
		{"fraction", `{"properties":{"n":{"type":"integer"}}}`, `{"n":1.5}`, "`n` must be an integer"},
		{"enum", `{"properties":{"mode":{"enum":["open","hidden"]}}}`, `{"mode":"` + secret + `"}`, "`mode` must be one of \"open\", \"hidden\""},
		{"const", `{"properties":{"v":{"const":2}}}`, `{"v":"` + secret + `"}`, "`v` must be 2"},
		{"pattern", `{"properties":{"id":{"type":"string","pattern":"^[a-z]+$"}}}`, `{"id":"` + secret + `"}`, "`id` must match the pattern ^[a-z]+$"},
		{"too short", `{"properties":{"id":{"minLength":40}}}`, `{"id":"` + secret + `"}`, "`id` has 18 characters, at least 40 are needed"},
		{"too small", `{"properties":{"n":{"minimum":3}}}`, `{"n":1}`, "`n` must be at least 3"},
		{"too large", `{"properties":{"n":{"exclusiveMaximum":3.5}}}`, `{"n":8}`, "`n` must be below 3.5"},
		{"too many", `{"properties":{"l":{"type":"array","maxItems":1}}}`, `{"l":["` + secret + `",1]}`, "`l` has 2 items, at most 1 are allowed"},
		{"missing", `{"required":["id"]}`, `{"x":"` + secret + `"}`, "`id` is missing"},
		{"deep", `{"properties":{"a":{"items":{"properties":{"b":{"type":"boolean"}}}}}}`, `{"a":[{},{"b":"` + secret + `"}]}`, "`a[1].b` must be true or false"},
		{"reference", `{"properties":{"a":{"$ref":"#/$defs/p"}},"$defs":{"p":{"type":"object","required":["x"]}}}`, `{"a":{}}`, "`a.x` is missing"},
		{"any of types", `{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`, `{"a":5}`, "`a` must be a string or null"},
		{"any of, one near", `{"properties":{"a":{"anyOf":[{"type":"object","required":["x"]},{"type":"null"}]}}}`, `{"a":{}}`, "`a.x` is missing"},
		{"one of, several near", `{"properties":{"a":{"oneOf":[{"required":["x"]},{"required":["y"]}]}}}`, `{"a":{"k":"` + secret + `"}}`, "`a` fits none of the forms that its schema allows"},
		{"all of", `{"allOf":[{"properties":{"a":{"type":"string"}}}]}`, `{"a":5}`, "`a` must be a string"},
		{"others", `{"additionalProperties":{"type":"string"}}`, `{"a":5}`, "`a` must be a string"},
		{"what nobody describes", `{"properties":{"l":{"type":"array","uniqueItems":true}}}`, `{"l":["` + secret + `","` + secret + `"]}`, noFit},
		{"the whole", `{"minProperties":2}`, `{"a":1}`, "the whole has 1 members, at least 2 are needed"},
		{"hostile name", `{"additionalProperties":{"type":"string"}}`, `{"a\u001b[2J` + "`" + `b":5}`, "`a'b` must be a string"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := CompileSchema([]byte(row.schema))
			if err != nil {
				t.Fatal(err)
			}
			err = s.CheckArguments(row.args)
			if err == nil || err.Error() != "invalid arguments: "+row.says {
				t.Errorf("CheckArguments(%s) = %v, want %s", row.args, err, row.says)
			}
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("the message quotes what was given: %v", err)
			}
		})
	}
}

// What is said to be wrong must be: the validator has the last word.
func FuzzMisfits(f *testing.F) {
	for _, row := range []struct{ schema, value string }{
		{`{"type":"integer"}`, `1e300`},
		{`{"type":"integer"}`, `-0.0`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/a","type":"string","definitions":{"a":{"type":"integer"}}}`, `1`},
		{`{"enum":[1,[2,{"a":null}]]}`, `[2,{"a":null}]`},
		{`{"properties":{"a":true},"additionalProperties":false,"patternProperties":{"^x":{"type":"string"}}}`, `{"a":1,"xy":2}`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}],"additionalItems":{"type":"null"}}`, `["a",null]`},
		{`{"prefixItems":[{"type":"string"}],"items":false}`, `["a"]`},
		{`{"anyOf":[{"type":"string"},{"minimum":3}],"oneOf":[{"type":"number"},{"const":"a"}]}`, `4`},
		{`{"minLength":2,"maxLength":3,"pattern":"^.ü"}`, `"aü"`},
	} {
		f.Add([]byte(row.schema), []byte(row.value))
	}
	f.Fuzz(func(t *testing.T, raw, instance []byte) {
		var value any
		if len(raw) > 4<<10 || len(instance) > 4<<10 || json.Unmarshal(instance, &value) != nil {
			return
		}
		s, err := CompileSchema(raw)
		if err != nil || tooCostly(s.fanOut, value) {
			return
		}
		root := s.root
		if m := misfitsOf(root).in(root, value, ""); m != nil && s.full.Validate(value) == nil {
			t.Errorf("%s: %s is said to be wrong (%s), and the validator takes it", raw, instance, m)
		}
	})
}
