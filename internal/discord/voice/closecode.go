package voice

import "fmt"

// verdict is what to do after a connection to the voice gateway ended.
type verdict uint8

const (
	// resume: go on with the session over another connection.
	resume verdict = iota + 1
	// identify: begin another session at the same server.
	identify
	// rejoin: ask the main gateway for another session and server.
	rejoin
	// await: what happened, the main gateway tells by the bot's voice state or
	// another server; if it tells nothing, rejoin.
	await
	// awaitOrStop is await, but if nothing is told, stop.
	awaitOrStop
	// stop: do not come back before the next Join.
	stop
	// fail: no trying again mends it.
	fail
)

// ending is how a session ended: what to do, and why in one line for people.
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

// closings tell what each close code means.
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

// endingOf returns what a close code means; codes that nobody explained, and none
// at all, are a broken connection.
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
