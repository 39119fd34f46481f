package memory

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

var (
	// ErrNotEmpty means that the store to load into already has records.
	ErrNotEmpty = errors.New("something is kept there already")
	// ErrDiffers means that the loaded records differ from those that were read.
	ErrDiffers = errors.New("what was taken in is not what came")
)

// Portable exports and imports a whole store.
type Portable interface {
	// Dump passes every record of one snapshot to yield, by kind in the order of [Kinds], while other calls
	// continue to write. Search indexes and vectors are not included. Dump stops at the first error of yield.
	Dump(ctx context.Context, yield func(Record) error) error
	// Load inserts records in the order in which Dump returns them, in one transaction, and builds the search
	// indexes, but no vectors. It fails with [ErrNotEmpty] if the store has records, unless replace is set,
	// in which case all of them are deleted first. It fails with [ErrDiffers] if a Dump afterwards would
	// differ from the input.
	Load(ctx context.Context, replace bool, records iter.Seq2[Record, error]) (Tally, error)
	// Verify compares the search indexes with the records and returns one line for each problem.
	Verify(ctx context.Context) ([]string, error)
}

// Record is one stored row: its kind and the values of that kind's columns. Each value is an int64, a
// float64, a string, a []byte, or nil.
type Record struct {
	Kind   string
	Values []any
}

// Kind is a kind of records.
type Kind struct {
	Name string
	// Columns lists the columns, separated by spaces, each with its type after a colon: i for integers, f for
	// floats, t for text, b for bytes. A ? marks a column that may be nil.
	Columns string
}

// Kinds returns the kinds of records in an order in which each refers only to those before it.
func Kinds() []Kind {
	return []Kind{
		{"session", "n:i id:t campaign:t started:i ended:i?"},
		{"audience", "n:i ids:t"},
		{"line", "id:i session:i turn:i speaker:t npc:t heard:t text:t at:i user:t ref:t dm:i audience:i day:i? date:t"},
		{"fact", "id:i source:t text:t at:i audience:i day:i? date:t topic:t stated:i since_day:i? since:t"},
		{"entity", "id:t type:t name:t description:t aliases:t? attributes:t? visible:t x:f? y:f? z:f?"},
		{"relation", "src:t type:t dst:t note:t visible:t"},
		{"state", "space:t key:t value:b"},
		{"filed", "what:t hash:b"},
		{"world_change", "seq:i at:i who:t cause:t data:b? undoes:i undone:i"},
		{"indexed", "line:i"},
		// The columns names, keep, instead and fact are from earlier versions; see [ForgettingRecord].
		{"forgetting", "user:t names:t keep:t instead:t line:i fact:i"},
	}
}

// ForgettingRecord returns the record that a user is to be forgotten up to a line. Earlier versions also
// stored the user's names, their replacement, and a fact. Backups still have these columns, so that the
// program can read old ones.
func ForgettingRecord(user string, line int64) Record {
	return Record{Kind: "forgetting", Values: []any{user, "[]", "[]", "", line, int64(0)}}
}

// Types returns the types of the kind's columns, in order.
func (k Kind) Types() []string {
	var types []string
	for _, c := range strings.Fields(k.Columns) {
		_, t, _ := strings.Cut(c, ":")
		types = append(types, t)
	}
	return types
}

// Column returns the index of a column, or -1.
func (k Kind) Column(name string) int {
	return slices.IndexFunc(strings.Fields(k.Columns), func(c string) bool { return strings.HasPrefix(c, name+":") })
}

// KindNamed returns the kind with the given name.
func KindNamed(name string) (Kind, error) {
	for _, k := range Kinds() {
		if k.Name == name {
			return k, nil
		}
	}
	return Kind{}, fmt.Errorf("there is no kind of records %q", name)
}

// raw is the JSON form of bytes, because JSON text cannot hold arbitrary bytes.
type raw struct {
	Base64 string `json:"base64"`
}

// MarshalJSON encodes a record as a list that begins with its kind. Equal records have equal encodings.
func (r Record) MarshalJSON() ([]byte, error) {
	list := []any{r.Kind}
	for _, v := range r.Values {
		switch v := v.(type) {
		case nil, int64, float64:
			list = append(list, v)
		case string:
			if utf8.ValidString(v) {
				list = append(list, v)
			} else {
				list = append(list, raw{base64.StdEncoding.EncodeToString([]byte(v))})
			}
		case []byte:
			list = append(list, raw{base64.StdEncoding.EncodeToString(v)})
		default:
			return nil, fmt.Errorf("a %s cannot have a %T", r.Kind, v)
		}
	}
	return json.Marshal(list)
}

// UnmarshalJSON decodes the encoding of MarshalJSON.
func (r *Record) UnmarshalJSON(b []byte) error {
	if n := elements(b); n > maxColumns {
		return fmt.Errorf("a record has %d columns at most, not %d", maxColumns, n)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	if len(list) == 0 {
		return errors.New("an empty list is no record")
	}
	if err := json.Unmarshal(list[0], &r.Kind); err != nil {
		return fmt.Errorf("a record begins with its kind: %w", err)
	}
	kind, err := KindNamed(r.Kind)
	if err != nil {
		return err
	}
	types := kind.Types()
	if len(list)-1 != len(types) {
		return fmt.Errorf("a %s has %d columns, not %d", r.Kind, len(types), len(list)-1)
	}
	r.Values = make([]any, len(types))
	for i, t := range types {
		if r.Values[i], err = decodeValue(t, list[i+1]); err != nil {
			return fmt.Errorf("column %d of a %s: %w", i+1, r.Kind, err)
		}
	}
	return nil
}

// maxColumns exceeds the length of any encoded record, including the kind.
const maxColumns = 32

// elements counts the entries of a JSON list without decoding them, so that a list with millions of entries
// does not use up memory. For input that is not a list, the result is arbitrary.
func elements(b []byte) int {
	n, depth, quoted := 0, 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == ',' && depth == 1:
			n++
		}
	}
	return n + 1
}

func decodeValue(t string, b json.RawMessage) (any, error) {
	base, optional := strings.CutSuffix(t, "?")
	if bytes.Equal(b, []byte("null")) {
		if !optional {
			return nil, errors.New("is missing")
		}
		return nil, nil
	}
	decoded := func() ([]byte, error) {
		var x raw
		if err := json.Unmarshal(b, &x); err != nil {
			return nil, err
		}
		return base64.StdEncoding.DecodeString(x.Base64)
	}
	switch {
	case base == "i":
		var n int64
		err := json.Unmarshal(b, &n)
		return n, err
	case base == "f":
		var n float64
		err := json.Unmarshal(b, &n)
		return n, err
	case base == "b":
		return decoded()
	case len(b) > 0 && b[0] == '{':
		text, err := decoded()
		return string(text), err
	}
	var s string
	err := json.Unmarshal(b, &s)
	return s, err
}

// Tally counts records by kind and sums their hashes. It does not depend on their order.
type Tally map[string]Count

// Count is the number of records of a kind, and the sum of their hashes.
type Count struct {
	Records int    `json:"records"`
	Sum     string `json:"sum"`
}

// Add counts a record.
func (t Tally) Add(r Record) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	c := t[r.Kind]
	sum, err := hex.DecodeString(c.Sum)
	if err != nil || len(sum) != sha256.Size {
		sum = make([]byte, sha256.Size)
	}
	hash := sha256.Sum256(b)
	for i := 0; i < sha256.Size; i += 8 {
		binary.BigEndian.PutUint64(sum[i:], binary.BigEndian.Uint64(sum[i:])+binary.BigEndian.Uint64(hash[i:]))
	}
	t[r.Kind] = Count{c.Records + 1, hex.EncodeToString(sum)}
	return nil
}

// Total returns the number of records.
func (t Tally) Total() (n int) {
	for _, c := range t {
		n += c.Records
	}
	return n
}

// Compare returns [ErrDiffers] with the first difference if o is not equal to t.
func (t Tally) Compare(o Tally) error {
	for _, k := range Kinds() {
		a, b := t[k.Name], o[k.Name]
		if a != b {
			return fmt.Errorf("%w: %d records of the kind %q, sum %.8s, and %d, sum %.8s", ErrDiffers, a.Records, k.Name, a.Sum, b.Records, b.Sum)
		}
	}
	return nil
}

// Write prints the counts, one line per kind.
func (t Tally) Write(w io.Writer) error {
	for _, k := range Kinds() {
		if c := t[k.Name]; c.Records > 0 {
			if _, err := fmt.Fprintf(w, "  %-12s %8d  %.16s\n", k.Name, c.Records, c.Sum); err != nil {
				return err
			}
		}
	}
	return nil
}
