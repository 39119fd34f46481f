package voicetest

import (
	"context"
	"slices"
	"strconv"
)

// A Group is what the voice gateway knows of a channel's end-to-end encryption.
type Group struct {
	Epoch   uint64   // 0: there is no group yet
	Members []string // the users in it, sorted
	Waiting int      // transitions that are not executed
}

// Group returns what is known of a channel, which somebody must have entered.
func (s *Server) Group(guild, channel string) Group {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mustRoom(guild, channel).group.snapshot()
}

// AwaitGroup returns once a channel's group is as cond wants it. Before anybody
// entered the channel it is the zero Group.
func (s *Server) AwaitGroup(ctx context.Context, guild, channel string, cond func(Group) bool) (Group, error) {
	var g Group
	err := s.await(ctx, "the group of channel "+channel, func() bool {
		g = Group{}
		if r := s.rooms[guild+"/"+channel]; r != nil {
			g = r.group.snapshot()
		}
		return cond(g)
	})
	return g, err
}

func (g *group) snapshot() Group {
	if g.service == nil {
		return Group{}
	}
	var members []string
	for _, id := range g.service.Members() {
		members = append(members, strconv.FormatUint(id, 10))
	}
	slices.Sort(members)
	return Group{Epoch: g.service.Epoch(), Members: members, Waiting: len(g.service.Pending())}
}

// SetDAVE takes a channel down to version 0, as somebody does whose client knows
// no encryption, or up to 1 again with a new group.
func (s *Server) SetDAVE(guild, channel string, version int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mustRoom(guild, channel).group.change(version)
}

// HoldTransitions keeps transitions from being executed, so that several are
// pending, until it is taken back.
func (s *Server) HoldTransitions(guild, channel string, hold bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mustRoom(guild, channel).group.service.Hold = hold
}

// SetCommitter takes the commits of one user alone, or for an empty one the
// first of anybody.
func (s *Server) SetCommitter(guild, channel, user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.rooms[guild+"/"+channel]
	if r == nil {
		r = s.roomOf(&admission{Join: Join{Guild: guild, Channel: channel}})
	}
	r.group.committer = user
}
