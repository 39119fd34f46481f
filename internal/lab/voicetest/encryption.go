package voicetest

import (
	"context"
	"slices"
	"strconv"
)

// A Group is the voice gateway's state of a channel's end-to-end encryption.
type Group struct {
	Epoch   uint64   // 0 before there is a group
	Members []string // its users, sorted
	Waiting int      // transitions not executed yet
}

// Group returns the state of a channel, which a user must have entered.
func (s *Server) Group(guild, channel string) Group {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mustRoom(guild, channel).group.snapshot()
}

// AwaitGroup returns when cond accepts a channel's group. Before a user has
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

// SetDAVE downgrades a channel to version 0, as when a client without
// encryption joins, or upgrades it to 1 with a new group.
func (s *Server) SetDAVE(guild, channel string, version int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mustRoom(guild, channel).group.change(version)
}

// HoldTransitions stops the execution of transitions, so that several are
// pending, until it is reverted.
func (s *Server) HoldTransitions(guild, channel string, hold bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mustRoom(guild, channel).group.service.Hold = hold
}

// SetCommitter accepts only one user's commits, or if empty the first of any
// user.
func (s *Server) SetCommitter(guild, channel, user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.rooms[guild+"/"+channel]
	if r == nil {
		r = s.roomOf(&admission{Join: Join{Guild: guild, Channel: channel}})
	}
	r.group.committer = user
}
