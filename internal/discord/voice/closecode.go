package voice

import "fmt"

// verdict is how to proceed after a connection to the voice gateway has ended.
type verdict uint8

const (
	// resume: resume the session over a new connection.
	resume verdict = iota + 1
	// identify: start a new session at the same server.
	identify
	// rejoin: ask the main gateway for a new session and server.
	rejoin
	// await: wait for the main gateway to report the bot's voice state or another server; without a report,
	// rejoin.
	await
	// awaitOrStop: like await, but stop without a report.
	awaitOrStop
	// stop: stay disconnected until the next Join.
	stop
	// fail: retrying cannot help.
	fail
)

// ending is how a session ended: how to proceed, and the reason in one line for people.
type ending struct {
	verdict verdict
	reason  string
}

// Close codes of the voice gateway.
const (
	closeUnknownOpcode     = 4001
	closeDecodeError       = 4002
	closeNotAuthenticated  = 4003
	closeAuthentication    = 4004
	closeAuthenticated     = 4005
	closeSessionInvalid    = 4006
	closeSessionTimedOut   = 4009
	closeServerNotFound    = 4011
	closeUnknownProtocol   = 4012
	closeDisconnected      = 4014
	closeServerCrashed     = 4015
	closeUnknownEncryption = 4016
	closeDAVERequired      = 4017
	closeBadRequest        = 4020
	closeRateLimited       = 4021
	closeCallTerminated    = 4022
)

// closings are the meanings of the close codes.
var closings = map[int]ending{
	closeUnknownOpcode:     {identify, "Discord's voice server did not understand the bot; a newer version of Glyphoxa may help"},
	closeDecodeError:       {identify, "Discord's voice server could not read what the bot sent; a newer version of Glyphoxa may help"},
	closeNotAuthenticated:  {identify, "Discord's voice server did not know the bot yet; the bot is signing in again"},
	closeAuthentication:    {rejoin, "Discord's voice server refused the bot's token; the bot is asking for a new one"},
	closeAuthenticated:     {identify, "the bot signed in twice at Discord's voice server; it is signing in again"},
	closeSessionInvalid:    {identify, "the voice connection is no longer valid; the bot is starting a new one"},
	closeSessionTimedOut:   {identify, "the voice connection timed out; the bot is starting a new one"},
	closeServerNotFound:    {rejoin, "the voice server is gone; the bot is asking for another one"},
	closeUnknownProtocol:   {fail, "Discord no longer accepts this version's voice protocol; install a newer version of Glyphoxa"},
	closeDisconnected:      {await, "Discord disconnected the bot from the voice channel"},
	closeServerCrashed:     {resume, "the voice server crashed; the bot is reconnecting"},
	closeUnknownEncryption: {fail, "Discord does not accept this version's encryption; install a newer version of Glyphoxa"},
	closeDAVERequired:      {fail, "Discord requires an end-to-end encryption (DAVE) that this version does not have; install a newer version of Glyphoxa"},
	closeBadRequest:        {identify, "Discord's voice server found a message from the bot malformed; a newer version of Glyphoxa may help"},
	closeRateLimited:       {stop, "Discord's voice server got too many requests from the bot; wait a few minutes, then let the bot join again"},
	closeCallTerminated:    {awaitOrStop, "Discord ended the call in the voice channel; let the bot join again if the channel still exists"},
}

// endingOf returns the meaning of a close code. Unknown codes, and none, mean a broken connection.
func endingOf(code int) ending {
	if e, ok := closings[code]; ok {
		e.reason = fmt.Sprintf("%s (close code %d)", e.reason, code)
		return e
	}
	if code <= 0 {
		return ending{resume, "the connection to Discord's voice server broke"}
	}
	return ending{resume, fmt.Sprintf("Discord's voice server closed the connection (close code %d)", code)}
}
