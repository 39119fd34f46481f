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
	closeUnknownOpcode:     {identify, "Discord's voice server did not know what the bot asked for; a newer version of Glyphoxa may"},
	closeDecodeError:       {identify, "Discord's voice server could not read what the bot sent; a newer version of Glyphoxa may write it better"},
	closeNotAuthenticated:  {identify, "Discord's voice server did not know the bot yet; it is told again"},
	closeAuthentication:    {rejoin, "Discord's voice server refused the bot's token; another one is asked for"},
	closeAuthenticated:     {identify, "Discord's voice server was told twice who the bot is; it is told anew"},
	closeSessionInvalid:    {identify, "the voice session is not valid any more; a new one is begun"},
	closeSessionTimedOut:   {identify, "the voice session timed out; a new one is begun"},
	closeServerNotFound:    {rejoin, "the voice server is gone; another one is asked for"},
	closeUnknownProtocol:   {fail, "Discord does not take this version's voice protocol any more; look for a newer version of Glyphoxa"},
	closeDisconnected:      {await, "Discord disconnected the bot from the voice channel"},
	closeServerCrashed:     {resume, "the voice server crashed; the session is resumed"},
	closeUnknownEncryption: {fail, "Discord does not take this version's transport encryption; look for a newer version of Glyphoxa"},
	closeDAVERequired:      {fail, "Discord demands an end-to-end encryption (DAVE) that this version does not offer; look for a newer version of Glyphoxa"},
	closeBadRequest:        {identify, "Discord's voice server found a message of the bot malformed; a newer version of Glyphoxa may do better"},
	closeRateLimited:       {stop, "Discord's voice server has had too many requests of the bot; wait some minutes, then let it join again"},
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
