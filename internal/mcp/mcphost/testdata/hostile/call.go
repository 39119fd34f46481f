package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func text(s string) object {
	return object{"content": []object{{"type": "text", "text": s}}}
}

// call answers tools/call, or does not.
func (s *server) call(m message) {
	var p struct {
		Name      string            `json:"name"`
		Arguments map[string]string `json:"arguments"`
	}
	_ = json.Unmarshal(m.Params, &p)
	s.note("calls", p.Name)
	if s.is("broken-at-first") && s.noted("calls") <= 31 {
		s.fail(m.ID, -32603, "out of order")
		return
	}
	switch p.Name {
	case "hang":
	case "die", "die_reading":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "slow":
		time.Sleep(2 * time.Second)
		s.answer(m.ID, text("at last"))
	case "huge":
		s.answer(m.ID, text(strings.Repeat("fifty megabytes. ", 50<<20/17)))
	case "huge_late":
		s.late(m.ID)
	case "paint":
		s.paint(m.ID)
	case "says_no":
		r := text("no")
		r["isError"] = true
		s.answer(m.ID, r)
	case "rpc_error":
		s.fail(m.ID, -32000, "the \x1b[31mwell\u200b is dry: "+os.Getenv("HOSTILE_SECRET"))
	case "pid":
		s.answer(m.ID, text(fmt.Sprint(os.Getpid())))
	case "switch":
		s.note("switches", p.Arguments["to"])
		s.answer(m.ID, text("switched"))
		s.notify("notifications/tools/list_changed")
	case "deafen":
		s.answer(m.ID, text("what?"))
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	case "broken_json":
		s.mu.Lock()
		fmt.Fprintf(s.out, `{"jsonrpc":"2.0","id":%s,"result":{"content":`+"\n", m.ID)
		_ = s.out.Flush()
		s.mu.Unlock()
	case "items":
		s.answer(m.ID, object{"content": many()})
	default:
		s.structured(m.ID, p.Name, p.Arguments)
	}
}

func many() (items []object) {
	for range 5000 {
		items = append(items, object{"type": "text", "text": "item"})
	}
	return items
}

func (s *server) structured(id json.RawMessage, name string, args map[string]string) {
	r := text("echo " + args["text"])
	switch name {
	case "fits":
		r["structuredContent"] = object{"n": 7}
	case "misfits":
		r["structuredContent"] = object{"n": "seven\x1b[31m"}
	case "wrong_but_error":
		r["isError"] = true
	}
	s.answer(id, r)
}

// late answers with 50 MB and the id after them, as some encoders do.
func (s *server) late(id json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.out, `{"result":{"content":[{"type":"text","text":"%s"}]},"jsonrpc":"2.0","id":%s}`+"\n", strings.Repeat("x", 50<<20), id)
	_ = s.out.Flush()
}

// paint answers with every kind of content in colours.
func (s *server) paint(id json.RawMessage) {
	s.answer(id, object{
		"content": []object{
			{"type": "text", "text": colours + strings.Repeat(" long", 10000)},
			{"type": "resource_link", "uri": "file:///" + colours, "name": colours, "mimeType": colours},
			{"type": "resource", "resource": object{"uri": "file:///" + colours, "mimeType": "text/plain", "text": colours}},
			{"type": "image", "data": "AAEC", "mimeType": "image/png\x1b[31m"},
		},
		"structuredContent": object{"key\u200b": []string{colours}},
	})
}

// switched reports whether the last switch was to that.
func (s *server) switched(to string) bool {
	raw, _ := os.ReadFile(filepath.Join(s.dir, "switches"))
	lines := strings.Fields(string(raw))
	return len(lines) > 0 && lines[len(lines)-1] == to
}

// noted counts the lines of a file.
func (s *server) noted(file string) int {
	raw, _ := os.ReadFile(filepath.Join(s.dir, file))
	return strings.Count(string(raw), "\n")
}
