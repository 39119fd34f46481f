// Command hostile is an MCP server on stdio that behaves badly on request. It
// speaks the protocol by hand, since no library would let it.
//
// Run by the tests of mcphost, as: hostile -dir DIR MODE...
// What it does and whom it starts is noted in files under DIR.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	dir := flag.String("dir", "", "where to note what happens")
	flag.Parse()
	s := &server{dir: *dir, modes: flag.Args(), out: bufio.NewWriter(os.Stdout), born: time.Now()}
	s.note("pids", fmt.Sprint(os.Getpid()))
	if s.is("sleep") { // as a grandchild
		time.Sleep(time.Hour)
		return
	}
	s.prepare()
	s.serve()
	s.leave()
}

// server is one misbehaving server.
type server struct {
	dir   string
	modes []string
	born  time.Time

	mu       sync.Mutex // guards the fields below
	out      *bufio.Writer
	listings int
}

func (s *server) is(mode string) bool { return slices.Contains(s.modes, mode) }

// note appends a line to a file in dir. The file survives a kill.
func (s *server) note(file, line string) {
	if s.dir == "" {
		return
	}
	f, err := os.OpenFile(filepath.Join(s.dir, file), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if _, err := f.WriteString(line + "\n"); err != nil {
		panic(err)
	}
}

// prepare does what comes before the first message.
func (s *server) prepare() {
	if s.is("doomed") {
		fmt.Fprintln(os.Stderr, "cannot find my \x1b[31mconfiguration")
		os.Exit(3)
	}
	if s.is("awaited") { // starts only once the test lets it
		if _, err := os.Stat(filepath.Join(s.dir, "open")); err != nil {
			os.Exit(4)
		}
	}
	if s.is("stubborn") {
		signal.Ignore(syscall.SIGTERM)
	}
	if s.is("litter") || s.is("orphan") {
		s.breed(s.is("orphan"))
	}
	if s.is("garbage") {
		for range 2000 {
			fmt.Fprintln(os.Stdout, "npm WARN deprecated this: \x1b[2J is no message")
		}
		fmt.Fprintln(os.Stdout, `{"almost": "a message"}`)
	}
	if s.is("drivel") { // one line without end
		drivel := strings.Repeat("bla ", 1<<16)
		for {
			if _, err := os.Stdout.WriteString(drivel); err != nil {
				return
			}
		}
	}
	if s.is("stderr") {
		go func() {
			for i := 0; ; i++ {
				if _, err := fmt.Fprintln(os.Stderr, "line", i, "\x1b[31mof many\u200b"); err != nil {
					return
				}
			}
		}()
	}
}

// breed starts two grandchildren that hold our streams, in our process group
// or, if free, one in a group of its own.
func (s *server) breed(free bool) {
	for i := range 2 {
		attr := &os.ProcAttr{Files: []*os.File{nil, os.Stdout, os.Stderr}}
		if free && i == 1 {
			attr.Sys = &syscall.SysProcAttr{Setsid: true}
		}
		child, err := os.StartProcess(os.Args[0], []string{os.Args[0], "-dir", s.dir, "sleep"}, attr)
		if err != nil {
			panic(err)
		}
		if attr.Sys != nil {
			s.note("free", fmt.Sprint(child.Pid))
			continue
		}
		s.note("children", fmt.Sprint(child.Pid))
	}
}

// leave is what happens when stdin has ended.
func (s *server) leave() {
	switch {
	case s.is("stubborn"):
		s.note("events", "stdin ended")
		time.Sleep(time.Hour)
	case s.is("late"):
		time.Sleep(300 * time.Millisecond)
	}
	s.note("events", "left")
}

// message is any JSON-RPC message.
type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
}

func (s *server) serve() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(line, &m) != nil || m.Method == "" {
			continue // an answer to one of our requests
		}
		if m.Method == "tools/call" {
			go s.call(m)
			continue
		}
		s.handle(m)
	}
}

func (s *server) handle(m message) {
	switch m.Method {
	case "server/discover":
		if !s.is("hang-initialize") && !s.is("mute-discover") {
			s.fail(m.ID, -32601, "no such method")
		}
	case "initialize":
		if s.is("hang-initialize") {
			return
		}
		s.answer(m.ID, map[string]any{
			"protocolVersion": "2025-11-25", "capabilities": map[string]any{"tools": map[string]any{"listChanged": true}},
			"serverInfo": map[string]any{"name": "hostile", "version": "1"},
		})
	case "notifications/initialized":
		s.begin()
	case "notifications/cancelled":
		s.note("cancelled", string(m.Params))
	case "ping":
		if !s.is("deaf-to-pings") {
			s.answer(m.ID, map[string]any{})
		}
	case "tools/list":
		s.list(m)
	default:
		if m.ID != nil {
			s.fail(m.ID, -32601, "no such method")
		}
	}
}

// begin does what a session begins with.
func (s *server) begin() {
	if s.is("storm") {
		for range 10000 {
			s.notify("notifications/tools/list_changed")
		}
	}
	if s.is("pester") {
		go s.pester(5000)
	}
	if s.is("pester-first") { // reads no answer before it has asked everything
		s.pester(5000)
	}
	if s.is("pester-deaf") { // reads no answer
		s.pester(1 << 30)
	}
	if s.is("chatter") {
		for range 20000 {
			s.notify("notifications/message")
		}
	}
}

func (s *server) pester(times int) {
	for i := range times {
		s.write(map[string]any{"jsonrpc": "2.0", "id": fmt.Sprint("p", i), "method": "ping"})
	}
}

func (s *server) notify(method string) {
	s.write(map[string]any{"jsonrpc": "2.0", "method": method, "params": map[string]any{"level": "info", "data": "x"}})
}

func (s *server) answer(id json.RawMessage, result any) {
	s.write(map[string]any{"jsonrpc": "2.0", "id": id, "result": result})
}

func (s *server) fail(id json.RawMessage, code int, text string) {
	s.write(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": text}})
}

// write sends a message, with garbage around it if asked for.
func (s *server) write(v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.is("garbage") {
		fmt.Fprint(s.out, "debug: sending\n\n[1,2\n")
	}
	s.out.Write(raw)
	s.out.WriteByte('\n')
	if s.out.Flush() != nil {
		os.Exit(0) // nobody listens any more
	}
}
