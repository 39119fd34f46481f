// Package dialect reads what language models write into the text of their answers besides speech: reasoning,
// tool calls, and the control tokens of chat templates. Servers should separate these and often do not.
//
//	r := dialect.New(tools, habits)
//	for piece := range pieces {
//		say(r.Feed(piece))
//	}
//	say(r.End(true))
//	run(r.Calls())
//
// A [Reader] holds text back until it is known whether it is markup, and passes all other text on at once.
// Everything in brackets is looked up in one table of names (table.go); the few dialects without brackets are
// phrases, code and bare JSON. A marked call counts even if no tool has its name, because the host then tells
// the model so. An unmarked form, such as bare JSON, is a call only if a tool has its name. Text after a call
// is not speech, because the model wrote it without knowing the result.
//
// # Reasoning without an opening tag
//
// Some chat templates open the reasoning themselves, so that an answer consists of thoughts, "</think>" and
// speech. Nothing shows early that such a text is a thought. So [Habits] records for a run how a model writes.
// The first answer of a model that may think this way is held until it ends. That answer shows what the
// template does, and the template is the same for all answers: later ones are streamed at once, or held up to
// the closing tag. Held text is never spoken if the answer breaks off.
//
// This costs latency once in a run: the first answer is heard when it is complete, so usually one or two
// seconds later. It applies only to models at unknown addresses and to models known to think, and not if the
// server sends the reasoning separately.
package dialect

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Tool is a tool that the model may call.
type Tool struct {
	Name string
	// Parameters is the JSON Schema of the arguments.
	Parameters map[string]any
}

// Call is a tool call that a model wrote as text.
type Call struct {
	// Name is the tool's name if a tool has it, otherwise the name as written.
	Name string
	// Arguments is a JSON object, or what the model wrote instead of one.
	Arguments string
}

const (
	// longestBlock is the maximum number of bytes kept of markup. Longer markup is removed and contains no
	// calls.
	longestBlock = 64 << 10
	// longestBare is the maximum length in bytes of an unmarked call. Longer text is speech.
	longestBare = 8 << 10
	// tailSize is how much of the text passed on is kept to know whether a line or word begins.
	tailSize = 8
)

// mode tells what the text that comes next belongs to.
type mode int

const (
	speaking mode = iota
	inBlock       // markup that is removed
	over          // the answer has ended
)

// Reader reads one answer. It is not safe for concurrent use.
type Reader struct {
	tools  toolset
	habits *Habits
	hold   hold
	mode   mode

	buf     string // not yet decided
	block   block
	scanned int // the block does not end in buf[:scanned]

	out     strings.Builder
	tail    string // the last bytes passed on
	spoke   bool   // something visible was passed on
	removed bool   // nothing visible was passed on since markup was removed

	calls     []Call
	preamble  string // harmony: text that is spoken only if there is no other
	recipient string // harmony: the tool that the next message is for
	harmony   bool   // the answer has channels
	opened    bool   // a thought had its opening tag
	struck    bool   // <s> was not a control token
}

// block is markup with its content.
type block struct {
	// ends looks for the block's end. It returns the offset of the end and of the text after it, or how many
	// bytes need not be looked at again.
	ends func(text string, final bool) (end, next int, v verdict)
	// done handles the content; closed is false if the answer ended first. Nil drops it.
	done func(content string, closed bool)
	long bool // the beginning was dropped
}

// New returns a reader for one answer to a request that offers tools.
func New(tools []Tool, habits *Habits) *Reader {
	return &Reader{tools: newToolset(tools), habits: habits, harmony: habits.harmony, hold: hold{active: habits.holds()}}
}

// Feed adds a piece of the answer and returns the text that is certainly speech.
func (r *Reader) Feed(piece string) string {
	if piece == "" || r.mode == over {
		return ""
	}
	r.buf += piece
	if r.hold.active && !r.stopHolding() {
		return ""
	}
	return r.read(false)
}

// End ends the answer and returns the rest of the speech. Complete is false if the answer was cut off at its
// maximum length.
func (r *Reader) End(complete bool) string {
	if r.hold.active {
		r.endHold(complete)
	}
	text := r.read(true)
	if complete && !r.spoke && !r.calling() {
		text += r.preamble
	}
	return text
}

// Calls returns the calls of an answer that has ended. There are none if the request offered no tools.
func (r *Reader) Calls() []Call {
	if !r.calling() {
		return nil
	}
	return r.calls
}

// calling reports whether there was a call. Text after it is not speech.
func (r *Reader) calling() bool { return len(r.calls) > 0 && len(r.tools) > 0 }

// read decides as much as it can.
func (r *Reader) read(final bool) string {
	r.out.Reset()
	for again := true; again && r.buf != ""; {
		switch r.mode {
		case speaking:
			again = r.readSpeech(final)
		case inBlock:
			again = r.readBlock(final)
		case over:
			r.buf = ""
		}
	}
	return r.out.String()
}

// readSpeech passes text on up to the next markup. It reports whether to go on reading.
func (r *Reader) readSpeech(final bool) bool {
	r.trimAfterMarkup()
	for i := 0; i < len(r.buf); {
		c := r.buf[i]
		if c <= ' ' || c >= utf8.RuneSelf && c != flower || !r.harmony && i > 0 && isLower(c) && isLower(r.buf[i-1]) {
			i++
			continue
		}
		n, v := r.openMarkup(i, final)
		switch v {
		case yes:
			return true
		case wait:
			if !final {
				r.pass(i)
				return false
			}
		}
		i += max(n, 1)
	}
	r.pass(len(r.buf))
	return false
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

// trimAfterMarkup removes white space after markup, unless it is the only one between two words.
func (r *Reader) trimAfterMarkup() {
	if r.removed && (r.tail == "" || strings.TrimRight(r.tail, " \t\r\n") != r.tail) {
		r.buf = strings.TrimLeft(r.buf, " \t\r\n")
	}
}

// pass passes the first n bytes on.
func (r *Reader) pass(n int) {
	if n == 0 {
		return
	}
	text := r.buf[:n]
	r.buf = r.buf[n:]
	r.tail = lastBytes(r.tail, text)
	if r.calling() {
		return
	}
	if strings.TrimSpace(text) != "" {
		r.spoke, r.removed = true, false
	}
	r.out.WriteString(text)
}

// drop removes the first n bytes.
func (r *Reader) drop(n int) {
	r.buf = r.buf[n:]
	r.removed = true
}

func lastBytes(before, text string) string {
	if len(text) < tailSize {
		text = before + text
	}
	return text[max(0, len(text)-tailSize):]
}

// place tells where a text begins.
type place struct {
	start bool // the answer
	row   bool // a line
	word  bool // a word
}

func (r *Reader) placeAt(i int) place {
	before := lastBytes(r.tail, r.buf[:i])
	last, size := utf8.DecodeLastRuneInString(before)
	blank := strings.TrimSpace(r.buf[:i]) == ""
	p := place{start: blank && !r.spoke && !r.calling()}
	p.row = p.start || blank && r.removed || strings.HasSuffix(strings.TrimRight(before, " \t"), "\n")
	p.word = p.row || size == 0 || !unicode.IsLetter(last) && !unicode.IsDigit(last) && last != '_' && last != '.'
	return p
}

// enter passes on buf[:i] and enters a block that begins there. The end is looked for after skip bytes.
func (r *Reader) enter(i, skip int, b block) (int, verdict) {
	r.pass(i)
	r.mode, r.block, r.scanned = inBlock, b, skip
	return 0, yes
}

// remove passes on buf[:i] and removes the n bytes after it.
func (r *Reader) remove(i, n int) (int, verdict) {
	r.pass(i)
	r.drop(n)
	return 0, yes
}

// finish passes on buf[:i]. The rest of the answer is not speech.
func (r *Reader) finish(i int) (int, verdict) {
	r.pass(i)
	r.mode = over
	return 0, yes
}

// readBlock looks for the end of the block. It reports whether to go on reading.
func (r *Reader) readBlock(final bool) bool {
	r.scanned = min(r.scanned, len(r.buf))
	end, next, v := r.block.ends(r.buf[r.scanned:], final)
	if v != yes && !final {
		r.scanned += end
		if cut := min(len(r.buf)-longestBlock, r.scanned); cut > 0 {
			r.buf, r.scanned, r.block.long = r.buf[cut:], r.scanned-cut, true
		}
		return false
	}
	content, rest := r.buf, ""
	if v == yes {
		content, rest = r.buf[:r.scanned+end], r.buf[r.scanned+next:]
	}
	b := r.block
	r.buf, r.block, r.scanned = rest, block{}, 0
	r.mode, r.removed = speaking, true
	if b.done != nil && !b.long {
		b.done(content, v == yes)
	}
	return true
}
