package mcpserver

import (
	"github.com/MrWong99/glyphoxa/internal/mcp/wire"
)

// What requests of the newest revision say about their client in _meta.
const (
	metaProtocol     = "io.modelcontextprotocol/protocolVersion"
	metaClient       = "io.modelcontextprotocol/clientInfo"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaServer       = "io.modelcontextprotocol/serverInfo"
)

// readMeta reads the _meta of a plain request, nil if it has none: what the newest
// revision wants in it, and in the older ones nothing. It reports false for anything
// else, such as progress or messages that are asked for. The client of a request that
// asks can be asked something while it is answered.
func readMeta(meta []byte, protocol string) (asks, ok bool) {
	if meta == nil {
		return false, protocol != newestProtocol
	}
	seen := map[string]bool{}
	ok = wire.PlainMembers(meta, func(key string, value []byte) bool {
		again := seen[key]
		seen[key] = true
		if again || protocol != newestProtocol {
			return false
		}
		switch key {
		case metaProtocol:
			text, is := wire.PlainText(value)
			return is && text == protocol
		case metaClient:
			return isPlainClient(value)
		case metaCapabilities:
			var known bool
			asks, known = readCapabilities(value)
			return known
		}
		return false
	})
	if protocol == newestProtocol {
		ok = ok && seen[metaProtocol] && seen[metaCapabilities]
	}
	return asks, ok
}

// isPlainClient reports whether raw says of a client who it is, in texts alone.
func isPlainClient(raw []byte) bool {
	return eachMember(raw, func(key string, value []byte) bool {
		switch key {
		case "name", "title", "version", "websiteUrl", "description":
			return value[0] == '"'
		}
		return false
	})
}

// readCapabilities reads whether a client can be asked something that is not where it
// works, and reports false for what is not plain.
func readCapabilities(raw []byte) (asks, ok bool) {
	ok = eachMember(raw, func(key string, value []byte) bool {
		asks = asks || key != "roots"
		switch key {
		case "roots":
			return eachMember(value, func(key string, value []byte) bool {
				return key == "listChanged" && (value[0] == 't' || value[0] == 'f')
			})
		case "sampling":
			return isEmpty(value)
		case "elicitation":
			return eachMember(value, func(key string, value []byte) bool {
				return (key == "form" || key == "url") && isEmpty(value)
			})
		}
		return false
	})
	return asks, ok
}

// eachMember is [wire.PlainMembers] for a value that need not be an object, whose names
// each come once.
func eachMember(raw []byte, f func(key string, value []byte) bool) bool {
	var seen []string
	return raw[0] == '{' && wire.PlainMembers(raw, func(key string, value []byte) bool {
		for _, k := range seen {
			if k == key {
				return false
			}
		}
		seen = append(seen, key)
		return f(key, value)
	})
}

func isEmpty(raw []byte) bool {
	return eachMember(raw, func(string, []byte) bool { return false })
}
