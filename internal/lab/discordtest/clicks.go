package discordtest

import (
	"fmt"
	"slices"
)

// Press lets a user press a button of a message that is visible to the user: a
// message of the channel, or a private answer to an interaction.
func (s *Server) Press(userID, channelID, messageID, customID string) (*Interaction, error) {
	return s.use(userID, channelID, messageID, customID, componentButton, nil)
}

// Choose lets a user choose values in a select menu.
func (s *Server) Choose(userID, channelID, messageID, customID string, values ...string) (*Interaction, error) {
	return s.use(userID, channelID, messageID, customID, componentSelect, values)
}

func (s *Server) use(userID, channelID, messageID, customID string, kind int, values []string) (*Interaction, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, u := s.mustChannel(channelID), s.mustUser(userID)
	m := s.visible(ch, u, messageID)
	if m == nil {
		return nil, fmt.Errorf("%s sees no message %s", u.Username, messageID)
	}
	c := find(m.Components, customID)
	if c == nil || c.Type != kind || c.Disabled {
		return nil, fmt.Errorf("message %s has no such component %q", messageID, customID)
	}
	for _, v := range values {
		if !slices.ContainsFunc(c.Options, func(o SelectOption) bool { return o.Value == v }) {
			return nil, fmt.Errorf("menu %q has no value %q", customID, v)
		}
	}
	data := map[string]any{"custom_id": customID, "component_type": kind}
	if kind == componentSelect {
		data["values"] = values
	}
	i := &Interaction{kind: interactionComponent, channel: ch, user: u, source: m}
	return i, s.interact(i, data)
}

// visible finds a message visible to a user, including private answers.
func (s *Server) visible(ch *channel, u *User, id string) *Message {
	if m := ch.find(id); m != nil {
		return m
	}
	for _, i := range s.interactions {
		if i.user != u {
			continue
		}
		for _, m := range append([]*Message{i.original}, i.followups...) {
			if m != nil && m.ID == id && !m.Deleted {
				return m
			}
		}
	}
	return nil
}

// Submit lets an interaction's user submit the modal that answered it, with
// values by the inputs' custom ids.
func (s *Server) Submit(to *Interaction, values map[string]string) (*Interaction, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if to.response == nil || to.response.Modal == nil {
		return nil, fmt.Errorf("interaction %s was not answered with a modal", to.ID)
	}
	modal, used := to.response.Modal, 0
	rows := []any{}
	for _, row := range modal.Components {
		in := row.Components[0]
		v, ok := values[in.CustomID]
		if ok {
			used++
		}
		if n := runes(v); (in.Required == nil || *in.Required) && n == 0 || in.MinLength != nil && n < *in.MinLength || in.MaxLength > 0 && n > in.MaxLength {
			return nil, fmt.Errorf("input %q does not take %q", in.CustomID, v)
		}
		rows = append(rows, map[string]any{"type": componentRow, "components": []any{
			map[string]any{"type": componentTextInput, "custom_id": in.CustomID, "value": v},
		}})
	}
	if used < len(values) {
		return nil, fmt.Errorf("modal %q has not all the inputs of %v", modal.CustomID, values)
	}
	i := &Interaction{kind: interactionModal, channel: to.channel, user: to.user, source: to.source}
	return i, s.interact(i, map[string]any{"custom_id": modal.CustomID, "components": rows})
}
