package voice

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/thomas-vilte/dave-go/mediakeys"
	"github.com/thomas-vilte/mls-go"
	"github.com/thomas-vilte/mls-go/extensions"
	"github.com/thomas-vilte/mls-go/framing"
	mlsgroup "github.com/thomas-vilte/mls-go/group"
	"github.com/thomas-vilte/mls-go/keypackages"
	"github.com/thomas-vilte/mls-go/storage/memory"
)

// maxCommits bounds our own commits that may still be announced.
const maxCommits = 8

var (
	errNoGroup  = errors.New("there is no group")
	errNotMine  = errors.New("commit for a group that is not established is another's")
	errInline   = errors.New("commit has a proposal in it instead of a reference")
	errTwice    = errors.New("a user is in the group twice")
	errSender   = errors.New("group has another external sender")
	errStranger = errors.New("group has a member who is not in the channel")
)

// group is a member's state in an MLS group, starting with its key package. It is owned by one goroutine.
type group struct {
	self, channel uint64
	client        *mls.Client
	store         *memory.Store
	keyPackage    []byte
	sender        []byte // the external sender of the group, or the expected one
	exists        bool   // there is a group: our own, or a joined one
	established   bool   // other members know the group
	proposed      map[string]change
	refused       bool      // a proposal must not be committed
	commits       []attempt // our own, newest last
}

// change is the effect of a proposal on a user.
type change struct {
	user uint64
	add  bool
}

// attempt is a commit of our own, and the state of the group after it.
type attempt struct {
	commit []byte
	after  []byte
}

func identityOf(user uint64) []byte { return binary.BigEndian.AppendUint64(nil, user) }

func userOf(identity []byte) (uint64, error) {
	if len(identity) != 8 {
		return 0, fmt.Errorf("identity of a member has %d bytes, want 8", len(identity))
	}
	return binary.BigEndian.Uint64(identity), nil
}

// newGroup creates a member's keys and key package.
func newGroup(self, channel uint64) (*group, error) {
	store := memory.NewStore()
	client, err := mls.NewClient(identityOf(self), suite,
		mls.WithStorage(store, store), mls.WithCacheStrategy(mls.CacheNone), mls.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, fmt.Errorf("making an MLS member: %w", err)
	}
	g := &group{self: self, channel: channel, client: client, store: store, proposed: map[string]change{}}
	g.keyPackage, err = client.FreshKeyPackageBytes(context.Background(), keypackages.InfiniteLifetime())
	if err != nil {
		return nil, fmt.Errorf("making a key package: %w", err)
	}
	return g, nil
}

func (g *group) id() []byte { return identityOf(g.channel) }

// create creates a group with ourselves as the only member. It grows, or is replaced by another's group.
func (g *group) create(sender []byte) error {
	if g.established {
		return errors.New("group has begun already")
	}
	if _, err := g.client.CreateGroupWithExternalSender(context.Background(), g.id(), g.keyPackage, sender); err != nil {
		return fmt.Errorf("making a group: %w", err)
	}
	g.sender, g.exists = sender, true
	g.forget()
	return nil
}

// forget discards the proposals and commits of a past epoch.
func (g *group) forget() {
	clear(g.proposed)
	g.refused, g.commits = false, nil
}

func (g *group) epoch() (uint64, error) { return g.client.Epoch(context.Background(), g.id()) }

// propose handles a proposal of the voice gateway. It returns false for one of another epoch.
func (g *group) propose(message []byte, known func(uint64) bool) (bool, error) {
	msg, err := framing.UnmarshalMLSMessage(message)
	if err != nil {
		return false, fmt.Errorf("reading a proposal: %w", err)
	}
	public, ok := msg.AsPublic()
	if !ok || public == nil || public.Content.Sender.Type != framing.SenderTypeExternal || public.Content.ContentType() != framing.ContentTypeProposal {
		return false, errors.New("proposal is not the voice gateway's")
	}
	if epoch, err := g.epoch(); err != nil || epoch != public.Content.Epoch {
		return false, err
	}
	c, err := g.inspect(public, known)
	if err != nil {
		g.refused = true
		return false, err
	}
	if err := g.client.ProcessPublicMessage(context.Background(), g.id(), message); err != nil {
		g.refused = true
		return false, fmt.Errorf("taking up a proposal: %w", err)
	}
	content := framing.AuthenticatedContent{WireFormat: framing.WireFormatPublicMessage, Content: public.Content, Auth: public.Auth}
	g.proposed[string(mlsgroup.ComputeProposalRef(content.Marshal(), suite))] = c
	return true, nil
}

// inspect returns the effect of a proposal, or an error if it must not be committed.
func (g *group) inspect(public *framing.PublicMessage, known func(uint64) bool) (change, error) {
	data, ok := public.Content.ProposalData()
	if !ok {
		return change{}, errors.New("proposal is empty")
	}
	p, err := mlsgroup.UnmarshalProposal(data)
	if err != nil {
		return change{}, fmt.Errorf("reading a proposal: %w", err)
	}
	switch {
	case p.Type == mlsgroup.ProposalTypeAdd && p.Add != nil && p.Add.KeyPackage != nil && p.Add.KeyPackage.LeafNode != nil && p.Add.KeyPackage.LeafNode.Credential != nil:
		user, err := userOf(p.Add.KeyPackage.LeafNode.Credential.Identity)
		if err != nil {
			return change{}, err
		}
		if user == g.self || !known(user) {
			return change{}, errStranger
		}
		return change{user: user, add: true}, nil
	case p.Type == mlsgroup.ProposalTypeRemove && p.Remove != nil:
		members, err := g.members()
		if err != nil {
			return change{}, err
		}
		for _, m := range members {
			if m.leaf == uint32(p.Remove.Removed) {
				return change{user: m.user}, nil
			}
		}
		return change{}, errors.New("proposal removes nobody")
	}
	return change{}, errors.New("proposal is neither to add nor to remove")
}

// revoke removes proposals by reference.
func (g *group) revoke(refs [][]byte) error {
	if !g.exists {
		return nil
	}
	for _, ref := range refs {
		delete(g.proposed, string(ref))
	}
	g.commits = nil // they refer to revoked proposals
	return g.client.RevokeProposals(context.Background(), g.id(), refs)
}

// adds reports whether a proposal adds a member.
func (g *group) adds() bool {
	for _, c := range g.proposed {
		if c.add {
			return true
		}
	}
	return false
}

// isRemoved reports whether a proposal removes a user.
func (g *group) isRemoved(user uint64) bool {
	for _, c := range g.proposed {
		if !c.add && c.user == user {
			return true
		}
	}
	return false
}

// mayCommit reports whether there are proposals that we may commit.
func (g *group) mayCommit() bool {
	return g.exists && len(g.proposed) > 0 && !g.refused && !g.isRemoved(g.self)
}

// follow applies an announced commit to the group.
func (g *group) follow(commit []byte) error {
	if !g.exists {
		return errNoGroup
	}
	i := slices.IndexFunc(g.commits, func(a attempt) bool { return bytes.Equal(a.commit, commit) })
	switch {
	case i >= 0:
		if err := g.store.SaveGroupState(context.Background(), mlsgroup.NewGroupID(g.id()), g.commits[i].after); err != nil {
			return fmt.Errorf("taking up our own commit: %w", err)
		}
	case !g.established:
		return errNotMine
	default:
		if err := checkReferences(commit); err != nil {
			return err
		}
		if err := g.client.ProcessCommit(context.Background(), g.id(), commit); err != nil {
			return fmt.Errorf("taking up a commit: %w", err)
		}
	}
	g.established = true
	g.forget()
	return nil
}

// checkReferences rejects a commit with inline proposals.
func checkReferences(commit []byte) error {
	msg, err := framing.UnmarshalMLSMessage(commit)
	if err != nil {
		return fmt.Errorf("reading a commit: %w", err)
	}
	public, ok := msg.AsPublic()
	if !ok || public == nil {
		return errors.New("commit is not public")
	}
	data, ok := public.Content.CommitData()
	if !ok {
		return errors.New("message is no commit")
	}
	c, err := mlsgroup.UnmarshalCommit(data)
	if err != nil {
		return fmt.Errorf("reading a commit: %w", err)
	}
	for _, p := range c.Proposals {
		if p.Proposal != nil {
			return errInline
		}
	}
	return nil
}

// join joins a group with a welcome. All members must be known, and its external sender must be the announced
// one.
func (g *group) join(welcome, sender []byte, known func(uint64) bool) error {
	if _, err := g.client.JoinGroup(context.Background(), welcome); err != nil {
		return fmt.Errorf("taking up a welcome: %w", err)
	}
	g.exists, g.established, g.sender = true, true, sender
	g.forget()
	members, err := g.members()
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.user != g.self && !known(m.user) {
			return errStranger
		}
	}
	return g.checkSender()
}

// checkSender rejects a group whose external sender is not the voice gateway.
func (g *group) checkSender() error {
	want, err := extensions.ParseSingleExternalSender(g.sender)
	if err != nil {
		return fmt.Errorf("reading the external sender: %w", err)
	}
	raw, err := g.client.GroupInfo(context.Background(), g.id())
	if err != nil {
		return fmt.Errorf("reading the group: %w", err)
	}
	info, err := mlsgroup.UnmarshalGroupInfo(raw)
	if err != nil {
		return fmt.Errorf("reading the group: %w", err)
	}
	for _, e := range info.GroupContext.Extensions {
		if e.Type != extensions.ExtensionTypeExternalSenders {
			continue
		}
		got, err := extensions.UnmarshalExternalSendersExtension(e.Data)
		if err == nil && len(got.Senders) == 1 && want.Equal(&got.Senders[0]) {
			return nil
		}
	}
	return errSender
}

// member is a member of the group.
type member struct {
	user uint64
	leaf uint32
	key  []byte // verifies signatures
}

func (g *group) members() ([]member, error) {
	infos, err := g.client.ListMembers(context.Background(), g.id())
	if err != nil {
		return nil, fmt.Errorf("listing the group's members: %w", err)
	}
	out := make([]member, 0, len(infos))
	for _, info := range infos {
		user, err := userOf(info.Identity)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(m member) bool { return m.user == user }) {
			return nil, errTwice
		}
		out = append(out, member{user: user, leaf: info.LeafIndex, key: info.SigningKey})
	}
	return out, nil
}

// Export implements [mediakeys.Exporter].
func (g *group) Export(label string, with []byte, length int) ([]byte, error) {
	return g.client.Export(context.Background(), g.id(), label, with, length)
}

var _ mediakeys.Exporter = (*group)(nil)
