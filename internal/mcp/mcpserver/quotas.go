package mcpserver

import "time"

// What callers may hold at once beside sessions, which are configured.
const (
	// strangerPart of all sessions are for callers without a token.
	strangerPart = 8
	// callerPart of all sessions may be one caller's, addressPart those at one address.
	callerPart  = 4
	addressPart = 2
	// certainSessions are open to every caller with a token.
	certainSessions = 8
	// freshTime ends a session nothing came in after it was opened, idleStranger a
	// connection without a token between two requests.
	freshTime    = 30 * time.Second
	idleStranger = 30 * time.Second
	// firstTime is how long a WebSocket may be silent at first.
	firstTime = 10 * time.Second
	// sweepEvery is how often idle ones are looked for.
	sweepEvery = 5 * time.Second
	// manyEnded are so many that what they took is worth giving back at once.
	manyEnded = 50
)

// sessionBounds are those of sessions, of which there are at most most; a WebSocket
// counts as one.
func sessionBounds(most int) quotaBounds {
	strangers := max(1, most/strangerPart)
	each := max(1, most/callerPart)
	return quotaBounds{
		strangers: strangers, strangersAt: strangers, known: max(1, most-strangers), each: each, at: max(1, most/addressPart),
		certain: min(certainSessions, each), fresh: freshTime,
	}
}

// connectionBounds are those of connections. One without a token costs its own kind a
// place, never anybody else. Whoever has a token is a stranger too until the first request
// is read, for which there is time enough before it could have to give way.
func connectionBounds() quotaBounds {
	return quotaBounds{
		strangers: 1024, strangersAt: 768, known: 4096, each: 512, at: 2048, certain: 64,
		yields: true, grace: 100 * time.Millisecond, idle: idleStranger,
	}
}

// requestBounds are those of requests that were read and are being answered, streams and
// polls among them: each takes hundreds of kilobytes.
func requestBounds() quotaBounds {
	return quotaBounds{strangers: 64, strangersAt: 64, known: 2048, each: 512, at: 1024, certain: 16}
}

// streamBounds are those of event streams, over HTTP and within other connections.
func streamBounds() quotaBounds {
	return quotaBounds{strangers: 16, strangersAt: 16, known: 1024, each: 256, at: 512, certain: 8}
}

// pollBounds are those of polls that wait for a change.
func pollBounds() quotaBounds { return streamBounds() }
