package discordtest

import "time"

func (s *Server) channelRoutes(add func(string, route)) {
	add("GET /channels/{channel}", func(c *call) (any, error) {
		ch, err := c.channel(0)
		return ch, err
	})
	add("DELETE /channels/{channel}", func(c *call) (any, error) {
		ch, err := c.channel(ManageChannels)
		if err != nil {
			return nil, err
		}
		s.removeChannel(ch)
		return ch, nil
	})
	add("POST /channels/{channel}/typing", func(c *call) (any, error) {
		ch, err := c.channel(SendMessages)
		if err != nil {
			return nil, err
		}
		s.typed(ch, s.bot.ID)
		return nil, nil
	})
	add("PATCH /channels/{channel}", s.modifyChannel)
}

func (s *Server) threadRoutes(add func(string, route)) {
	add("POST /channels/{channel}/threads", func(c *call) (any, error) {
		ch, err := c.channel(CreateThreads)
		if err != nil {
			return nil, err
		}
		return c.startThread(ch, s.id())
	})
	add("POST /channels/{channel}/messages/{message}/threads", func(c *call) (any, error) {
		m, ch, err := c.message(CreateThreads)
		if err != nil {
			return nil, err
		}
		if s.channels[m.ID] != nil {
			return nil, bad(160004, "A thread has already been created for this message")
		}
		return c.startThread(ch, m.ID)
	})
	add("PUT /channels/{channel}/thread-members/@me", func(c *call) (any, error) {
		_, err := c.thread()
		return nil, err
	})
	add("DELETE /channels/{channel}/thread-members/@me", func(c *call) (any, error) {
		_, err := c.thread()
		return nil, err
	})
}

func (c *call) thread() (*channel, error) {
	ch, err := c.channel(0)
	if err == nil && !ch.isThread() {
		err = errWrongChannelType
	}
	return ch, err
}

func (c *call) startThread(parent *channel, id string) (any, error) {
	var body struct {
		Name string `json:"name"`
		Auto int    `json:"auto_archive_duration"`
		Type *int   `json:"type"`
	}
	if parent.Type != channelText {
		return nil, errWrongChannelType
	}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	var f formError
	f.length("name", body.Name, 1, maxChannelName)
	switch body.Auto {
	case 0, 60, 1440, 4320, 10080:
	default:
		f.add("auto_archive_duration", "BASE_TYPE_CHOICES", "Value must be one of (60, 1440, 4320, 10080).")
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	kind := threadPublic
	if body.Type != nil && *body.Type == threadPrivate {
		kind = threadPrivate
	}
	return createdBody{c.s.newThread(parent, id, body.Name, kind, c.s.bot.ID)}, nil
}

// modifyChannel renames a channel, and archives or locks a thread.
func (s *Server) modifyChannel(c *call) (any, error) {
	ch, err := c.channel(0)
	if err != nil {
		return nil, err
	}
	need, name := ManageChannels, "CHANNEL_UPDATE"
	if ch.isThread() {
		need, name = ManageThreads, "THREAD_UPDATE"
	}
	if !ch.isThread() || ch.OwnerID != s.bot.ID {
		if err := s.allow(ch, need); err != nil {
			return nil, err
		}
	}
	var body struct {
		Name     *string `json:"name"`
		Archived *bool   `json:"archived"`
		Locked   *bool   `json:"locked"`
	}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	var f formError
	if body.Name != nil {
		f.length("name", *body.Name, 1, maxChannelName)
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	if body.Name != nil {
		ch.Name = *body.Name
	}
	if ch.Thread != nil && body.Archived != nil {
		ch.Thread.Archived, ch.Thread.ArchiveTimestamp = *body.Archived, time.Now()
	}
	if ch.Thread != nil && body.Locked != nil {
		ch.Thread.Locked = *body.Locked
	}
	s.emit(ch.GuildID, IntentGuilds, name, ch)
	return ch, nil
}
