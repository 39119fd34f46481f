package discordtest

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// epoch is the first millisecond of 2015, from which snowflakes count.
const epoch = 1420070400000

// id returns a new snowflake, greater than all earlier ones; s.mu must be held
// unless s is not shared yet.
func (s *Server) id() string {
	now := uint64(time.Now().UnixMilli()-epoch) << 22
	s.last = max(s.last+1, now)
	return strconv.FormatUint(s.last, 10)
}

// guildID returns a new snowflake for the n-th guild. Guilds get distinct
// times, so that they spread over shards as in production, where the time
// decides.
func (s *Server) guildID() string {
	millis := uint64(1600000000000 - epoch + len(s.guilds))
	return strconv.FormatUint(millis<<22|uint64(len(s.guilds)), 10)
}

// shardOf returns which of n shards serves a guild; direct messages belong to
// the first.
func shardOf(guildID string, n int) int {
	id, err := strconv.ParseUint(guildID, 10, 64)
	if err != nil {
		return 0
	}
	return int((id >> 22) % uint64(n))
}

// tokenFor returns a token in the form of bot tokens: the user id, a time and a
// signature.
func tokenFor(userID string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(userID)) + ".GabcdE." + strings.Repeat("loopback-", 4)
}

// secret returns a random token.
func (s *Server) secret(kind string) string {
	return fmt.Sprintf("%s-%s-%s", kind, s.id(), strings.Repeat("x", 32))
}
