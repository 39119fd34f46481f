// Package davey runs users of a third-party implementation of Discord's
// end-to-end encryption: @discordjs/voice with davey, in a Node process.
//
// It is for tests.
package davey

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/peers"
)

// Message is a user's message to the voice gateway: JSON, or the data after a
// binary opcode.
type Message struct {
	Op   int
	Data []byte
}

// Process is a Node process with users. It is not safe for concurrent use.
type Process struct {
	in  io.Writer
	out *bufio.Scanner
}

// Start starts a Node that ends with the test. Without Node or the peers, the
// test is skipped, or fails where they are required.
func Start(t testing.TB) *Process {
	t.Helper()
	node := peers.Node(t)
	modules := peers.File(t, "@snazzah/davey/package.json")
	script := filepath.Join(modules, "..", "..", "..", "..", "davey.mjs")
	cmd := exec.Command(node, script)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // this ends the process
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<24)
	return &Process{in: in, out: lines}
}

type request struct {
	User string `json:"user"`
	Op   any    `json:"op"`
	Data any    `json:"data,omitempty"`
}

// ask sends a command to the process and returns the messages that the user
// sends in reply.
func (p *Process) ask(t testing.TB, user uint64, op, data, result any) []Message {
	t.Helper()
	line, err := json.Marshal(request{User: name(user), Op: op, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
	if !p.out.Scan() {
		t.Fatalf("davey ended: %v", p.out.Err())
	}
	var said struct {
		Out []struct {
			Op   int             `json:"op"`
			Data json.RawMessage `json:"data"`
		} `json:"out"`
		Result json.RawMessage `json:"result"`
		Error  string          `json:"error"`
	}
	if err := json.Unmarshal(p.out.Bytes(), &said); err != nil {
		t.Fatalf("%v in %s", err, p.out.Bytes())
	}
	if said.Error != "" {
		t.Logf("davey, user %d, op %v: %s", user, op, said.Error)
	}
	if result != nil {
		if err := json.Unmarshal(said.Result, result); err != nil {
			t.Fatalf("%v in %s", err, p.out.Bytes())
		}
	}
	var out []Message
	for _, m := range said.Out {
		var text string
		if json.Unmarshal(m.Data, &text) == nil {
			m.Data = unhex(t, text)
		}
		out = append(out, Message{Op: m.Op, Data: m.Data})
	}
	return out
}

func name(user uint64) string { return strconv.FormatUint(user, 10) }

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Connect sends a user the protocol version of a channel, as op 4 does.
func (p *Process) Connect(t testing.TB, user, channel uint64, version int) []Message {
	t.Helper()
	return p.ask(t, user, 4, map[string]any{"version": version, "channel": name(channel)}, nil)
}

// Clients sends a user the ids of connected users.
func (p *Process) Clients(t testing.TB, user uint64, all []uint64) {
	t.Helper()
	var names []string
	for _, u := range all {
		names = append(names, name(u))
	}
	p.ask(t, user, "clients", names, nil)
}

// Receive passes a message of the voice gateway to a user: JSON, or the data of
// a binary opcode, 25 to 30.
func (p *Process) Receive(t testing.TB, user uint64, op int, data []byte) []Message {
	t.Helper()
	if op >= 25 && op <= 30 {
		return p.ask(t, user, op, hex.EncodeToString(data), nil)
	}
	return p.ask(t, user, op, json.RawMessage(data), nil)
}

// Encrypt encrypts frames as a user.
func (p *Process) Encrypt(t testing.TB, user uint64, frames [][]byte) [][]byte {
	t.Helper()
	var sealed []string
	p.ask(t, user, "encrypt", texts(frames), &sealed)
	var out [][]byte
	for _, s := range sealed {
		out = append(out, unhex(t, s))
	}
	return out
}

// Decrypt decrypts another user's frames as a user. Frames that do not decrypt
// are nil.
func (p *Process) Decrypt(t testing.TB, user, from uint64, frames [][]byte) [][]byte {
	t.Helper()
	opened := make([]*string, 0, len(frames))
	p.ask(t, user, "decrypt", map[string]any{"from": name(from), "frames": texts(frames)}, &opened)
	out := make([][]byte, len(opened))
	for i, o := range opened {
		if o != nil {
			out[i] = unhex(t, *o)
		}
	}
	return out
}

func texts(frames [][]byte) []string {
	var out []string
	for _, f := range frames {
		out = append(out, hex.EncodeToString(f))
	}
	return out
}

// Code returns a user's privacy code, or "" without encryption.
func (p *Process) Code(t testing.TB, user uint64) string {
	t.Helper()
	var code *string
	p.ask(t, user, "code", nil, &code)
	if code == nil {
		return ""
	}
	return *code
}

// VerificationCode returns the code that a user sees for another.
func (p *Process) VerificationCode(t testing.TB, user, other uint64) string {
	t.Helper()
	var code string
	p.ask(t, user, "verify", name(other), &code)
	return code
}
