package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// minToken is the minimum length of a token, in characters. Shorter tokens could be guessed.
const minToken = 16

var hashPattern = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// checkServer checks who may connect and what they may do.
func (l *loader) checkServer() {
	s := &l.cfg.Server
	root := userfile.Path("server")
	l.reportFaults(root)
	l.checkClients(root.Key("clients"))
	if s.OAuth != nil {
		l.checkOAuth(s.OAuth, root.Key("oauth"))
	}
	l.warnOfRules(root.Key("policy"))
	if s.Limits.PerSecond <= 0 {
		l.main.AddProblem(root.Key("limits").Key("per_second"), "nobody could call anything", "use a number above 0, such as 10")
	}
	if listen := root.Key("listen"); !isLoopback(s.Listen) && len(s.Clients) == 0 && s.OAuth == nil {
		l.main.AddProblem(listen, "nobody could connect, because anonymous access is only for this machine", "add clients or oauth, or listen on 127.0.0.1")
	}
	checkProxies(l, root.Key("trusted_proxies"))
	checkMask(l.main, root.Key("mask"), s.Mask)
	l.checkWorkflows(root.Key("workflows"))
}

// checkProxies reports trusted proxies that would let any client impersonate another.
func checkProxies(l *loader, root userfile.Path) {
	for i, text := range l.cfg.Server.TrustedProxies {
		if p, err := netip.ParsePrefix(text); err == nil && p.Bits() == 0 {
			l.main.AddProblem(root.Item(i), "includes everyone, so anyone could claim any address", "name only the addresses of your proxies")
		}
	}
}

// checkMask checks that the patterns are valid.
func checkMask(f *userfile.Document, root userfile.Path, patterns []string) {
	if n := len(patterns); n > MaxPatterns {
		f.AddProblem(root, fmt.Sprintf("%d patterns are more than the %d allowed", n, MaxPatterns), "join some of them with |")
	}
	for i, pattern := range patterns {
		if err := CheckMasks(pattern); err != nil {
			f.AddProblem(root.Item(i), f.Quote(root.Item(i), pattern)+" is not a valid pattern: "+err.Error(), "see https://pkg.go.dev/regexp/syntax for the syntax")
		}
	}
}

// isLoopback reports whether a listen address is reachable only from this machine. It returns true for an
// invalid address, because that has already been reported.
func isLoopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil || strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// suggestOneOf says what to write instead of name: the most similar known word, or any of them.
func suggestOneOf(name string, known []string) string {
	return userfile.Suggest(name, known, "use one of "+strings.Join(known, ", "))
}

// checkProfileName checks that a profile exists. An empty name is valid.
func (l *loader) checkProfileName(path userfile.Path, name string) {
	known := append(KnownProfiles(), slices.Sorted(maps.Keys(l.cfg.Server.Profiles))...)
	if name == "" || slices.Contains(known, name) {
		return
	}
	l.main.AddProblem(path, l.main.Quote(path, name)+" is not a profile", suggestOneOf(name, known))
}

// checkClients checks each client, and reports duplicate names and tokens.
func (l *loader) checkClients(root userfile.Path) {
	names, tokens := map[string]int{}, map[string]int{}
	for i := range l.cfg.Server.Clients {
		c := &l.cfg.Server.Clients[i]
		entry := root.Item(i)
		l.checkClientName(entry.Key("name"), c.Name, names)
		l.checkToken(entry, c, tokens)
		l.checkProfileName(entry.Key("profile"), c.Profile)
		l.checkClientNPC(entry.Key("npc"), c.NPC)
	}
}

// checkClientName makes sure that the names of callers are distinguishable in rules and records.
func (l *loader) checkClientName(path userfile.Path, name string, seen map[string]int) {
	key := FoldName(name)
	if key == "" {
		return // already reported as missing
	}
	odd := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" ._-@", r)
	}
	switch first, taken := seen[key]; {
	case taken:
		l.main.AddProblem(path, fmt.Sprintf("another client has this name (line %d)", first), "rename one of them")
	case slices.Contains(builtInCallers(), key):
		l.main.AddProblem(path, userfile.Quote(key)+" stands for others in rules", "give the client another name")
	case strings.HasPrefix(key, "npc:"):
		l.main.AddProblem(path, "\"npc:\" stands for NPCs in rules", "give the client a name without it")
	case strings.ContainsFunc(name, odd) || strings.TrimSpace(name) != name:
		l.main.AddProblem(path, l.main.Quote(path, name)+" is not a valid name for a client", "use letters, digits, spaces, ., -, _ and @")
	default:
		seen[key] = l.main.Line(path)
	}
}

// checkToken checks that a client has exactly one token, which no other client has. It compares tokens by
// hash and never shows them.
func (l *loader) checkToken(entry userfile.Path, c *Client, seen map[string]int) {
	token, hash := entry.Key("token"), entry.Key("token_hash")
	if l.main.Broken(token) || l.main.Broken(hash) {
		return
	}
	given, sum := token, ""
	switch {
	case c.Token == "" && c.TokenHash == "":
		l.main.AddProblem(entry, "has no token, so nobody could be this client", "add token or token_hash; glyphoxa mcp token makes one")
		return
	case c.Token != "" && c.TokenHash != "":
		l.main.AddProblem(hash, "token is given too", "keep one of them")
		return
	case c.Token != "" && utf8.RuneCountInString(c.Token.Reveal()) < minToken:
		l.main.AddProblem(token, fmt.Sprintf("is shorter than %d characters", minToken), "make one with glyphoxa mcp token")
		return
	case strings.ContainsFunc(c.Token.Reveal(), func(r rune) bool { return r <= ' ' || r > '~' }):
		l.main.AddProblem(token, "has characters that no client can send", "make one with glyphoxa mcp token")
		return
	case c.TokenHash != "" && !hashPattern.MatchString(c.TokenHash):
		l.main.AddProblem(hash, "is not the hash of a token", "write \"sha256:\" and 64 digits 0 to 9 and a to f, as glyphoxa mcp token prints it")
		return
	case c.Token != "":
		raw := sha256.Sum256([]byte(c.Token.Reveal()))
		sum = "sha256:" + hex.EncodeToString(raw[:])
	default:
		given, sum = hash, c.TokenHash
	}
	if first, taken := seen[sum]; taken {
		l.main.AddProblem(given, fmt.Sprintf("another client has this token (line %d)", first), "give each a token of its own")
		return
	}
	seen[sum] = l.main.Line(given)
}

// checkClientNPC checks that the NPC exists whose view a client is to have.
func (l *loader) checkClientNPC(path userfile.Path, id string) {
	ids := l.npcIDs()
	if id == "" || slices.Contains(ids, id) {
		return
	}
	fix := userfile.Suggest(id, ids, "add the NPC, or remove the line")
	l.main.AddProblem(path, "there is no NPC with the id "+l.main.Quote(path, id), fix)
}

func (l *loader) npcIDs() []string {
	var ids []string
	for _, n := range l.npcs {
		ids = append(ids, n.npc.ID)
	}
	return ids
}

// checkOAuth checks that some token can be accepted, and that none is accepted by
// accident.
func (l *loader) checkOAuth(o *OAuth, root userfile.Path) {
	for _, e := range []struct{ key, address string }{{"issuer", o.Issuer}, {"jwks_url", o.JWKS}} {
		u, err := url.Parse(e.address)
		if err != nil || u.Scheme != "http" {
			continue
		}
		if !isLoopback(net.JoinHostPort(u.Hostname(), "80")) {
			l.main.AddProblem(root.Key(e.key), "anyone on the network path could forge keys", "use https")
		}
	}
	l.checkProfileName(root.Key("profile"), o.Profile)
	for _, scope := range slices.Sorted(maps.Keys(o.Scopes)) {
		path := root.Key("scopes").Key(scope)
		if o.Scopes[scope] == "" {
			l.main.AddProblem(path, "is empty", "name a profile")
		}
		l.checkProfileName(path, o.Scopes[scope])
	}
	if o.Profile == "" && len(o.Scopes) == 0 {
		l.main.AddProblem(root, "nobody could connect, because no token has a profile", "add profile or scopes")
	}
}

// checkWorkflows checks that the workflows path is a directory. A missing directory is valid and holds no
// workflows.
func (l *loader) checkWorkflows(path userfile.Path) {
	dir := l.cfg.Server.Workflows
	if dir == "" {
		return
	}
	info, err := l.src.stat(l.src.join(dir))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if l.main.HasValue(path) {
			l.addWarning(l.main, path, "there is no such directory", "correct the path or create the directory")
		}
	case err != nil:
		l.main.AddProblem(path, unreadableFlaw(err).What, "check the path and its permissions")
	case !info.IsDir():
		l.main.AddProblem(path, "this is not a directory", "name the directory with the workflow files")
	}
}
