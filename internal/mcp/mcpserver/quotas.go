package mcpserver

import "time"

// Bounds of what callers may hold at once. The number of sessions is configured.
const (
	// strangerPart is the divisor for the share of sessions for callers without a token.
	strangerPart = 8
	// callerPart and addressPart are the divisors for the sessions of one caller and of one address.
	callerPart  = 4
	addressPart = 2
	// certainSessions is how many sessions every caller with a token may always open.
	certainSessions = 8
	// freshTime ends a session that was opened but not used. idleStranger ends an idle connection without a
	// token.
	freshTime    = 30 * time.Second
	idleStranger = 30 * time.Second
	// firstTime is how long a WebSocket may be silent after it was opened.
	firstTime = 10 * time.Second
	// sweepEvery is how often idle holdings are ended.
	sweepEvery = 5 * time.Second
	// manyEnded is how many ended holdings make it worthwhile to return memory to the system at once.
	manyEnded = 50
)

// sessionBounds returns the bounds for at most most sessions. A WebSocket counts as one.
func sessionBounds(most int) quotaBounds {
	strangers := max(1, most/strangerPart)
	each := max(1, most/callerPart)
	return quotaBounds{
		strangers: strangers, strangersAt: strangers, known: max(1, most-strangers), each: each, at: max(1, most/addressPart),
		certain: min(certainSessions, each), fresh: freshTime,
	}
}

// connectionBounds returns the bounds for connections. A connection without a token can only displace others
// of its kind. A caller with a token counts as a stranger until the first request has been read; grace gives
// it enough time for that before it could have to give way.
func connectionBounds() quotaBounds {
	return quotaBounds{
		strangers: 1024, strangersAt: 768, known: 4096, each: 512, at: 2048, certain: 64,
		evictIdle: true, grace: 100 * time.Millisecond, idle: idleStranger,
	}
}

// requestBounds returns the bounds for requests that were read and are being answered, including streams and
// polls. Each takes hundreds of kilobytes.
func requestBounds() quotaBounds {
	return quotaBounds{strangers: 64, strangersAt: 64, known: 2048, each: 512, at: 1024, certain: 16}
}

// streamBounds returns the bounds for event streams, over HTTP and within other connections.
func streamBounds() quotaBounds {
	return quotaBounds{strangers: 16, strangersAt: 16, known: 1024, each: 256, at: 512, certain: 8}
}

// pollBounds are those of polls that wait for a change.
func pollBounds() quotaBounds { return streamBounds() }
