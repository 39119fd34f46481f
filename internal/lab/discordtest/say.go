package discordtest

import (
	"context"
	"fmt"
	"time"
)

// SayOptions are the optional parts of a user's message. The zero value adds
// none.
type SayOptions struct {
	// ReplyTo is the id of the message to reply to; its author is mentioned
	// unless Silent.
	ReplyTo string
	// Silent does not mention the author of ReplyTo.
	Silent bool
	// Uploads are the files of the message.
	Uploads []Upload
}

// Say posts a user's message and returns it. Mentions in the text have the form
// <@id>. It panics if the user may not write there.
func (s *Server) Say(channelID, userID, text string, o *SayOptions) Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o == nil {
		o = &SayOptions{}
	}
	ch, u := s.mustChannel(channelID), s.mustUser(userID)
	need := SendMessages
	if ch.isThread() {
		need = SendInThreads
	}
	if s.permissions(ch, userID)&need == 0 {
		panic(fmt.Sprintf("discordtest: %s may not write in %s", u.Username, ch.Name))
	}
	m := s.blank(ch, u)
	m.Content = text
	for _, up := range o.Uploads {
		m.Attachments = append(m.Attachments, s.keep(ch.ID, upload{name: up.Name, kind: up.Type, data: up.Data}))
	}
	if o.ReplyTo != "" {
		s.reply(m, ch, o.ReplyTo)
	}
	s.mention(ch, m, &allowedMentions{Parse: []string{"users", "roles", "everyone"}, RepliedUser: !o.Silent})
	s.post(ch, m)
	return m.copy()
}

// Edit changes the text of a message as its author.
func (s *Server) Edit(channelID, messageID, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.mustChannel(channelID)
	m := mustMessage(ch, messageID)
	if err := s.change(m, ch, &messageBody{Content: &text}, nil); err != nil {
		panic(fmt.Sprintf("discordtest: editing: %v", err))
	}
}

// Delete deletes a message.
func (s *Server) Delete(channelID, messageID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.mustChannel(channelID)
	s.remove(ch, mustMessage(ch, messageID))
}

// Type sends a user's typing indicator.
func (s *Server) Type(channelID, userID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.typed(s.mustChannel(channelID), s.mustUser(userID).ID)
}

func mustMessage(ch *channel, id string) *Message {
	if m := ch.find(id); m != nil {
		return m
	}
	panic(fmt.Sprintf("discordtest: no message %q in %s", id, ch.Name))
}

// Messages returns the messages of a channel, oldest first, including deleted
// ones. It leaves out private answers to interactions.
func (s *Server) Messages(channelID string) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.channels[channelID]
	if ch == nil {
		return nil
	}
	all := make([]Message, 0, len(ch.messages))
	for _, m := range ch.messages {
		all = append(all, m.copy())
	}
	return all
}

// AwaitMessage waits for the first message in a channel that match accepts,
// also among existing and edited messages.
func (s *Server) AwaitMessage(ctx context.Context, channelID string, match func(Message) bool) (Message, error) {
	var found Message
	err := s.await(ctx, "a message", func() bool {
		ch := s.channels[channelID]
		if ch == nil {
			return false
		}
		for _, m := range ch.messages {
			if found = m.copy(); !m.Deleted && match(found) {
				return true
			}
		}
		return false
	})
	if err != nil {
		return Message{}, fmt.Errorf("%w; there are %s", err, s.summary(channelID))
	}
	return found, nil
}

// summary lists a channel's last messages for a failing test.
func (s *Server) summary(channelID string) string {
	all := s.Messages(channelID)
	text := fmt.Sprintf("%d messages", len(all))
	for _, m := range all[max(0, len(all)-5):] {
		text += fmt.Sprintf(", %s: %.80q", m.Author.Username, m.Content)
	}
	return text
}

// Typing returns the typing indicators of a channel so far.
func (s *Server) Typing(channelID string) []Typing {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ch := s.channels[channelID]; ch != nil {
		return append([]Typing(nil), ch.typing...)
	}
	return nil
}

// AwaitTyping waits until the bot has shown typing in a channel at or after a
// time.
func (s *Server) AwaitTyping(ctx context.Context, channelID string, since time.Time) error {
	return s.await(ctx, "typing", func() bool {
		ch := s.channels[channelID]
		if ch == nil {
			return false
		}
		for _, t := range ch.typing {
			if t.UserID == s.bot.ID && !t.At.Before(since) {
				return true
			}
		}
		return false
	})
}

// Requests returns the REST calls so far, oldest first. An empty route returns
// all, otherwise those of the route as in LimitRoute.
func (s *Server) Requests(route string) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Request
	for _, r := range s.requests {
		if route == "" || r.Route == route {
			all = append(all, r)
		}
	}
	return all
}

// AwaitRequests waits until there are n calls of a route and returns them.
func (s *Server) AwaitRequests(ctx context.Context, route string, n int) ([]Request, error) {
	s.mustRoute(route)
	err := s.await(ctx, fmt.Sprintf("%d calls of %s", n, route), func() bool {
		count := 0
		for _, r := range s.requests {
			if r.Route == route {
				count++
			}
		}
		return count >= n
	})
	return s.Requests(route), err
}

// CommandNames returns the names of the registered commands of a guild, or the
// global ones for an empty guild.
func (s *Server) CommandNames(guildID string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, k := range s.commands[guildID] {
		names = append(names, k.Name)
	}
	return names
}

// AwaitCommands waits until a guild, or the application for an empty guild, has
// commands.
func (s *Server) AwaitCommands(ctx context.Context, guildID string) error {
	return s.await(ctx, "commands", func() bool { return len(s.commands[guildID]) > 0 })
}
