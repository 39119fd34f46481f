package access

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// Decisions about calls.
const (
	Allowed = "allowed"
	Denied  = "denied"
	// Pending calls wait for approval.
	Pending = "pending"
	// Granted, Rejected and Expired are not calls. They record the decision on a waiting call, under its
	// approval id, or that there was none in time.
	Granted  = "granted"
	Rejected = "rejected"
	Expired  = "expired"
)

// Bounds on the content of a record. Names are cut in runes, arguments in bytes.
const (
	maxRecordedName = 200
	maxError        = 1000
	maxArgs         = 4096
	// maxQueued bounds the bytes of arguments in the queue. The caller hashes longer ones, because 4,096 of
	// them could take too much memory.
	maxQueued = 16 << 10
	hashBytes = 16
)

// LogRecord records one call of a tool, or a decision on a call.
type LogRecord struct {
	// ID grows with every record and is never reused.
	ID int64 `json:"id"`
	// At is when the call was made, with microsecond precision.
	At time.Time `json:"at"`
	// Who is the caller's name, see [mcp.Caller.Name].
	Who       string `json:"who"`
	Profile   string `json:"profile,omitempty"`
	Transport string `json:"transport,omitempty"`
	Tool      string `json:"tool"`
	// Source is "builtin", "workflow" or the external server's name.
	Source string `json:"source,omitempty"`
	// Decision is [Allowed], [Denied] or [Pending], or the decision on a waiting call: [Granted], [Rejected]
	// or [Expired].
	Decision string `json:"decision"`
	// Rule is the policy rule that decided, if any.
	Rule string `json:"rule,omitempty"`
	// Code is the kind of failure, see [mcp.Code]; empty for success.
	Code string `json:"code,omitempty"`
	// Approval is the id under which the call waited for approval.
	Approval string `json:"approval,omitempty"`
	// Duration is the duration of the call; in JSON, in milliseconds.
	Duration time.Duration `json:"duration_ms"`
	// ArgsHash is the beginning of the SHA-256 of the arguments in canonical JSON, as 32 hexadecimal digits.
	// Equal arguments have equal hashes, whatever their formatting.
	ArgsHash string `json:"args_hash"`
	// Args holds the arguments, at most 4 KiB, if they are kept.
	Args    string `json:"args,omitempty"`
	Error   string `json:"error,omitempty"`
	Session string `json:"session,omitempty"`
	NPC     string `json:"npc,omitempty"`
	// Cached marks a result that was taken from the cache.
	Cached bool `json:"cached,omitempty"`
	// Times is the number of refusals merged into this record, for a caller refused more than 30 times within
	// a minute; otherwise 0. A merged record has no hash.
	Times int64 `json:"times,omitempty"`
	// DecidedBy is the caller who decided on the approval.
	DecidedBy string `json:"decided_by,omitempty"`
}

type plain LogRecord

type encoded struct {
	plain
	Duration float64 `json:"duration_ms"`
}

// MarshalJSON writes the duration in milliseconds.
func (r LogRecord) MarshalJSON() ([]byte, error) {
	return json.Marshal(encoded{plain: plain(r), Duration: mcp.RoundedMillis(r.Duration)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *LogRecord) UnmarshalJSON(b []byte) error {
	var e encoded
	if err := json.Unmarshal(b, &e); err != nil {
		return err
	}
	*r = LogRecord(e.plain)
	r.Duration = time.Duration(e.Duration * float64(time.Millisecond)).Round(time.Microsecond)
	return nil
}

// names returns pointers to the short texts of a record.
func (r *LogRecord) names() [12]*string {
	return [...]*string{
		&r.Who, &r.Profile, &r.Transport, &r.Tool, &r.Source, &r.Decision,
		&r.Rule, &r.Code, &r.Approval, &r.Session, &r.NPC, &r.DecidedBy,
	}
}

// bound cuts texts roughly, so that a queued record takes little memory.
func (r *LogRecord) bound() {
	for _, s := range r.names() {
		*s = roughly(*s, maxRecordedName)
	}
	r.Error = roughly(r.Error, maxError)
}

// roughly keeps enough of s for runes runes of clean text. It keeps four times as much, because cleaning may
// remove some.
func roughly(s string, runes int) string {
	if most := 4 * utf8.UTFMax * runes; len(s) > most {
		return strings.Clone(s[:most])
	}
	return s
}

// clean cleans the texts of a record for people and programs.
func (r *LogRecord) clean() {
	for _, s := range r.names() {
		*s = untrusted.Clean(*s, maxRecordedName)
	}
	r.Error = untrusted.Clean(r.Error, maxError)
}

// isCall reports whether the record is of a call, not of a decision.
func (r *LogRecord) isCall() bool {
	return r.Decision != Granted && r.Decision != Rejected && r.Decision != Expired
}

// hash sets the hash, and shortens the arguments to the part that may be kept.
func (e *entry) hash(size int) {
	e.record.ArgsHash = HashArguments(e.args)
	e.hashed = true
	if size > 2*maxArgs {
		e.args = strings.Clone(e.args[:2*maxArgs])
	}
}

// toRecord returns the record as it will be written.
func (e *entry) toRecord(arguments bool) LogRecord {
	if !e.hashed {
		e.hash(len(e.args))
	}
	r := e.record
	r.clean()
	r.At = r.At.UTC().Truncate(time.Microsecond)
	r.Args = ""
	if arguments {
		r.Args = shortenText(untrusted.Clean(e.args, 0), maxArgs)
	}
	return r
}

// shortenText cuts s to at most n bytes, including an ellipsis, without splitting a rune.
func shortenText(s string, n int) string {
	const ellipsis = "…"
	if len(s) <= n {
		return s
	}
	n -= len(ellipsis)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + ellipsis
}

// HashArguments returns the hash under which a call with args, JSON text, is recorded. The order of keys,
// white space and escapes do not matter; numbers are compared as text. Blank text counts as an empty object,
// and text that is not JSON is hashed as it is.
func HashArguments(args string) string {
	sum := sha256.Sum256(canonicalBytes(args))
	return hex.EncodeToString(sum[:hashBytes])
}

func canonicalBytes(args string) []byte {
	if strings.TrimSpace(args) == "" {
		return []byte("{}")
	}
	d := json.NewDecoder(strings.NewReader(args))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return []byte(args)
	}
	if _, err := d.Token(); err != io.EOF {
		return []byte(args)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte(args)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
