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

// What was decided about a call.
const (
	Allowed = "allowed"
	Denied  = "denied"
	// Pending calls wait for somebody's approval.
	Pending = "pending"
	// Granted, Rejected and Expired are no calls but what was decided on one that waited,
	// under its approval, or that nobody decided in time.
	Granted  = "granted"
	Rejected = "rejected"
	Expired  = "expired"
)

// Bounds on what a record holds. Names are cut in runes, arguments in bytes.
const (
	maxRecordedName = 200
	maxError        = 1000
	maxArgs         = 4096
	// maxQueued is the most bytes of arguments that wait in the queue; longer
	// ones are hashed by the caller, lest 4,096 of them hold the memory.
	maxQueued = 16 << 10
	hashBytes = 16
)

// LogRecord is one call of a tool.
type LogRecord struct {
	// ID grows with every record and is never used again.
	ID int64 `json:"id"`
	// At is when the call was made, to the microsecond.
	At time.Time `json:"at"`
	// Who is the caller's name, as in mcp.Caller.Name.
	Who       string `json:"who"`
	Profile   string `json:"profile,omitempty"`
	Transport string `json:"transport,omitempty"`
	Tool      string `json:"tool"`
	// Source is "builtin", "workflow" or the external server's name.
	Source string `json:"source,omitempty"`
	// Decision is [Allowed], [Denied] or [Pending], or what was decided on a call that
	// waited: [Granted], [Rejected] or [Expired].
	Decision string `json:"decision"`
	// Rule is the policy rule that decided, if one did.
	Rule string `json:"rule,omitempty"`
	// Code is the kind of failure, see mcp.Code; empty for success.
	Code string `json:"code,omitempty"`
	// Approval is the id under which the call waited for approval.
	Approval string `json:"approval,omitempty"`
	// Duration is how long the call took; in JSON, milliseconds.
	Duration time.Duration `json:"duration_ms"`
	// ArgsHash is the beginning of the SHA-256 of the arguments' canonical JSON:
	// 32 hexadecimal digits, equal for equal arguments however they are written.
	ArgsHash string `json:"args_hash"`
	// Args is the arguments themselves, at most 4 KiB, if they are kept.
	Args    string `json:"args,omitempty"`
	Error   string `json:"error,omitempty"`
	Session string `json:"session,omitempty"`
	NPC     string `json:"npc,omitempty"`
	// Cached marks a result that was not computed for this call.
	Cached bool `json:"cached,omitempty"`
	// Times is how many refusals of one kind the record stands for, of a caller who was
	// refused more than 30 times within a minute; else 0. Such a record has no hash.
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

// names returns the short texts of a record.
func (r *LogRecord) names() [12]*string {
	return [...]*string{
		&r.Who, &r.Profile, &r.Transport, &r.Tool, &r.Source, &r.Decision,
		&r.Rule, &r.Code, &r.Approval, &r.Session, &r.NPC, &r.DecidedBy,
	}
}

// bound shortens texts roughly, so that a waiting record holds little memory.
func (r *LogRecord) bound() {
	for _, s := range r.names() {
		*s = roughly(*s, maxRecordedName)
	}
	r.Error = roughly(r.Error, maxError)
}

// roughly keeps enough of s to make clean text of so many runes, four times as
// much for what cleaning takes out.
func roughly(s string, runes int) string {
	if most := 4 * utf8.UTFMax * runes; len(s) > most {
		return strings.Clone(s[:most])
	}
	return s
}

// clean makes texts fit to be read by people and programs.
func (r *LogRecord) clean() {
	for _, s := range r.names() {
		*s = untrusted.Clean(*s, maxRecordedName)
	}
	r.Error = untrusted.Clean(r.Error, maxError)
}

// isCall reports whether the record is of a call, not of a decision on one.
func (r *LogRecord) isCall() bool {
	return r.Decision != Granted && r.Decision != Rejected && r.Decision != Expired
}

// hash sets the hash and shortens the arguments to what may be kept of them.
func (e *entry) hash(size int) {
	e.record.ArgsHash = HashArguments(e.args)
	e.hashed = true
	if size > 2*maxArgs {
		e.args = strings.Clone(e.args[:2*maxArgs])
	}
}

// toRecord returns the record as it is written.
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

// shortenText shortens s to at most n bytes, an ellipsis included, without breaking a
// rune.
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

// HashArguments returns the hash under which a call with args, JSON text, is recorded.
// Order of keys, white space and escapes make no difference; numbers count as
// they are written. Blank text counts as an empty object; text that is no JSON
// is hashed as it is.
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
