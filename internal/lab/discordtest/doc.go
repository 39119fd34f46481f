// Package discordtest is a Discord on loopback for tests: the REST API in
// versions 9 and 10 and the main gateway, as the public documentation describes
// them, and a Go API that acts as the people of a guild and injects failures.
//
// A client reaches it through [Server.APIURL]; GET /gateway names the gateway
// below it. Method calls act as users ([Server.Say], [Server.Command]); the
// server records the bot's actions ([Server.Messages], [Server.Requests]). The
// server is strict: a route it does not have, a body that does not decode or a
// gateway payload that Discord would refuse is a fault, and faults not taken
// with [Server.TakeFaults] fail the test when it ends.
//
//	d := discordtest.New(t, nil)
//	guild := d.AddGuild("Waterdeep")
//	tavern, alice := d.AddChannel(guild, "tavern"), d.AddMember(guild, "Alice")
//	… start the bot with d.APIURL() and d.Token() …
//	d.Say(tavern, alice, "Bart, a mead!", nil)
//	m, err := d.AwaitMessage(t.Context(), tavern, func(m discordtest.Message) bool { return m.WebhookID != "" })
//
// It serves one application with one bot. It keeps everything in memory and
// supports only what bots use: no emoji, no scheduled events. Sound is handled
// by the voice server of package voicetest, which [Server.StartVoice] starts;
// [Options.Voice] names another that takes over when the bot joins a voice
// channel.
//
// It is for tests alone, and knows nothing of the product.
package discordtest
