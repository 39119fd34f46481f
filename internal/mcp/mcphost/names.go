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

// safeName makes a name fit for model APIs (ruling 10): other characters
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
func freeName(server, name string, taken map[string]int) string {
	for _, candidate := range []string{safeName(name), safeName(server + "_" + name)} {
		if _, used := taken[candidate]; !used {
			return candidate
		}
	}
	for unique := server + "\x00" + name; ; unique += "\x00" {
		sum := sha256.Sum256([]byte(unique))
		candidate := safeName(server + "_" + name)
		suffix := "_" + hex.EncodeToString(sum[:])[:8]
		candidate = candidate[:min(len(candidate), maxName-len(suffix))] + suffix
		if _, used := taken[candidate]; !used {
			return candidate
		}
	}
}
