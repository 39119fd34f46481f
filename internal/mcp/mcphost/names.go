package mcphost

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxName is the longest tool name model APIs take.
const maxName = 64

func nameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

func validName(name string) bool {
	for i := range len(name) {
		if !nameByte(name[i]) {
			return false
		}
	}
	return true
}

// safeName makes a name fit for model APIs (docs/adr/0010): other characters
// become "_", and what is too long or was changed into something ambiguous
// ends in a hash of the original, so that the same tool keeps the same name.
func safeName(name string) string {
	out := strings.Map(func(r rune) rune {
		if r < 0x80 && nameByte(byte(r)) {
			return r
		}
		return '_'
	}, name)
	if len(out) <= maxName && out == name && out != "" {
		return out
	}
	sum := sha256.Sum256([]byte(name))
	const digits = 8
	if len(out) > maxName-digits-1 {
		out = out[:maxName-digits-1]
	}
	return out + "_" + hex.EncodeToString(sum[:])[:digits]
}

// freeName names a server's tool: its own name if that is free, else
// server_tool, else that with a hash.
func freeName(server, name string, taken func(string) bool) string {
	for _, candidate := range []string{safeName(name), safeName(server + "_" + name)} {
		if !taken(candidate) {
			return candidate
		}
	}
	for unique := server + "\x00" + name; ; unique += "\x00" {
		sum := sha256.Sum256([]byte(unique))
		candidate := safeName(server + "_" + name)
		suffix := "_" + hex.EncodeToString(sum[:])[:8]
		candidate = candidate[:min(len(candidate), maxName-len(suffix))] + suffix
		if !taken(candidate) {
			return candidate
		}
	}
}

// maxNames bounds the names that are remembered.
const maxNames = 20_000

// owner names a server's tool wherever tools of all servers stand side by side.
func owner(server, name string) string { return server + "/" + name }

// register remembers which external tool has which name. A tool keeps the name
// it got first, over reconnects and restarts, whoever connects first the next
// time: an NPC's whitelist must not come to mean another server's tool.
type register struct {
	names  map[string]string // registered name by owner
	owners map[string]string // owner by registered name
	fresh  map[string]bool   // owners whose names are not kept yet
}

func newRegister() *register {
	return &register{names: map[string]string{}, owners: map[string]string{}, fresh: map[string]bool{}}
}

// nameOf returns the registered name of a server's tool; builtin reports names
// that built-in tools have.
func (r *register) nameOf(server, tool string, builtin func(string) bool) string {
	who := owner(server, tool)
	if name, ok := r.names[who]; ok && !builtin(name) {
		return name
	}
	name := freeName(server, tool, func(n string) bool {
		holder, held := r.owners[n]
		return builtin(n) || held && holder != who
	})
	if len(r.names) < maxNames {
		r.assign(who, name)
		r.fresh[who] = true
	}
	return name
}

func (r *register) assign(who, name string) {
	delete(r.owners, r.names[who])
	r.names[who], r.owners[name] = name, who
}

// release forgets the names of owners.
func (r *register) release(owners []string) {
	for _, who := range owners {
		delete(r.owners, r.names[who])
		delete(r.names, who)
		delete(r.fresh, who)
	}
}
