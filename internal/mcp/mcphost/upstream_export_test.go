package mcphost

// Constants that the tests of servers in virtual time go by.
const (
	DoubtPing     = doubtPing
	PulseInterval = pulseInterval
	PulsePing     = pulsePing
	FirstRetry    = firstRetry
	LastRetry     = lastRetry
	MaxQueued     = maxQueued
	MetaEstimated = metaEstimated
)
