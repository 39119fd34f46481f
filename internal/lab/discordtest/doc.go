// Package discordtest is a Discord on loopback for tests: the REST API in
// versions 9 and 10 and the main gateway, as the public documentation describes
// them, and a Go API that plays the people of a guild and breaks things.
//
// A client reaches it through [Server.APIURL]; GET /gateway names the gateway
// below it. Users are driven by method calls ([Server.Say], [Server.Command]);
// what the bot does is recorded ([Server.Messages], [Server.Requests]). The
// server is strict: a route it does not have, a body that does not decode or a
// gateway payload that Discord would refuse is a fault, and a fault that nobody
// took with [Server.TakeFaults] fails the test when it ends.
//
//	d := discordtest.New(t, nil)
//	guild := d.AddGuild("Waterdeep")
//	tavern, alice := d.AddChannel(guild, "tavern"), d.AddMember(guild, "Alice")
//	… start the bot with d.APIURL() and d.Token() …
//	d.Say(tavern, alice, "Bart, a mead!", nil)
//	m, err := d.AwaitMessage(t.Context(), tavern, func(m discordtest.Message) bool { return m.WebhookID != "" })
//
// It serves one application with one bot. It keeps everything in memory and
// only what bots use of it: no OAuth2, no emoji, no scheduled events. Sound is
// for the voice server of package voicetest, which [Server.StartVoice] puts
// beside it; [Options.Voice] names another that takes over when the bot joins a
// voice channel.
//
// It is for tests alone, and knows nothing of the product.
package discordtest
