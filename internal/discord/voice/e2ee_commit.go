package voice

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"fmt"
	"slices"

	"github.com/thomas-vilte/mls-go/ciphersuite"
	"github.com/thomas-vilte/mls-go/extensions"
	"github.com/thomas-vilte/mls-go/framing"
	mlsgroup "github.com/thomas-vilte/mls-go/group"
	"github.com/thomas-vilte/mls-go/keypackages"
)

const suite = ciphersuite.MLS128DHKEMP256

// commit returns a commit of all proposals, with a welcome for added members. The group does not change until
// this commit is announced.
func (g *group) commit() ([]byte, error) {
	ctx, id := context.Background(), mlsgroup.NewGroupID(g.id())
	state, err := g.store.LoadGroupState(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("reading the group: %w", err)
	}
	next, err := mlsgroup.UnmarshalGroupState(slices.Clone(state))
	if err != nil {
		return nil, fmt.Errorf("reading the group: %w", err)
	}
	key, err := g.store.LoadSignatureKey(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("reading our signature key: %w", err)
	}
	staged, err := next.Commit(key, key.PublicKey(), nil)
	if err != nil {
		return nil, fmt.Errorf("committing: %w", err)
	}
	commit := framing.NewMLSMessagePublic(&framing.PublicMessage{
		Content: staged.AuthenticatedContent().Content, Auth: staged.AuthenticatedContent().Auth, MembershipTag: staged.MembershipTag(),
	}).Marshal()
	joiner := staged.JoinerSecret().Clone()
	if err := next.MergeCommit(staged); err != nil {
		return nil, fmt.Errorf("committing: %w", err)
	}
	payload := slices.Clone(commit)
	var added []*keypackages.KeyPackage
	for _, p := range staged.Proposals() {
		if p.Type == mlsgroup.ProposalTypeAdd && p.Add != nil {
			added = append(added, p.Add.KeyPackage)
		}
	}
	if len(added) > 0 {
		w, err := (&welcomeBuilder{group: next, staged: staged, joiner: joiner, key: key}).welcome(added)
		if err != nil {
			return nil, fmt.Errorf("welcoming: %w", err)
		}
		payload = append(payload, w...)
	}
	after, err := next.MarshalState()
	if err != nil {
		return nil, fmt.Errorf("keeping the group: %w", err)
	}
	if len(g.commits) == maxCommits {
		g.commits = slices.Delete(g.commits, 0, 1)
	}
	g.commits = append(g.commits, attempt{commit: commit, after: after})
	return payload, nil
}

// welcomeBuilder builds the welcome of a commit. The library's own welcome puts the external-senders extension
// into the GroupInfo's extensions too, although it belongs only in the group context, and OpenMLS, on which
// davey is built, rejects it.
type welcomeBuilder struct {
	group  *mlsgroup.Group
	staged *mlsgroup.StagedCommit
	joiner *ciphersuite.Secret
	key    *ciphersuite.SignaturePrivateKey
}

// welcome returns the welcome for added members.
func (w *welcomeBuilder) welcome(added []*keypackages.KeyPackage) ([]byte, error) {
	made, err := w.make(added)
	if err != nil {
		return nil, err
	}
	secrets, err := w.secrets(added)
	if err != nil {
		return nil, err
	}
	info := made.GroupInfo
	info.Extensions = slices.DeleteFunc(slices.Clone(info.Extensions), func(e mlsgroup.Extension) bool {
		return e.Type == extensions.ExtensionTypeExternalSenders
	})
	signature, err := ciphersuite.SignWithLabel(w.key, "GroupInfoTBS", info.MarshalTBS())
	if err != nil {
		return nil, err
	}
	info.Signature = signature.AsSlice()
	if made.EncryptedGroupInfo, err = w.encrypt(info.Marshal()); err != nil {
		return nil, err
	}
	for i, kp := range added { // because the secrets are bound to the encrypted GroupInfo
		sealed, err := ciphersuite.EncryptWithLabel(kp.InitKey, "Welcome", made.EncryptedGroupInfo, secrets[i], suite)
		if err != nil {
			return nil, err
		}
		made.Secrets[i].EncryptedGroupSecrets = *sealed
	}
	return made.Marshal(), nil
}

// make creates a welcome with the library.
func (w *welcomeBuilder) make(added []*keypackages.KeyPackage) (*mlsgroup.Welcome, error) {
	made, err := w.group.CreateWelcomeWithOpts(added, w.key,
		mlsgroup.WithJoinerSecret(w.joiner.Clone()), mlsgroup.WithStagedCommit(w.staged),
		mlsgroup.WithGroupInfoOptions(mlsgroup.WithExternalPub(false)))
	if err != nil {
		return nil, err
	}
	if len(made.Secrets) != len(added) {
		return nil, fmt.Errorf("%d secrets for %d members", len(made.Secrets), len(added))
	}
	return made, nil
}

// secrets returns the group secrets of each added member. The library only returns them encrypted, so this
// encrypts them to a key of ours and decrypts them.
func (w *welcomeBuilder) secrets(added []*keypackages.KeyPackage) ([][]byte, error) {
	own, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	decoys := make([]*keypackages.KeyPackage, len(added))
	for i, kp := range added {
		decoy := *kp
		decoy.InitKey = own.PublicKey().Bytes()
		decoys[i] = &decoy
	}
	made, err := w.make(decoys)
	if err != nil {
		return nil, err
	}
	secrets := make([][]byte, len(added))
	for i := range secrets {
		secrets[i], err = ciphersuite.DecryptWithLabel(own.Bytes(), "Welcome", made.EncryptedGroupInfo, &made.Secrets[i].EncryptedGroupSecrets, suite)
		if err != nil {
			return nil, err
		}
	}
	return secrets, nil
}

// encrypt encrypts a GroupInfo with the key derived from the joiner secret (RFC 9420, section 12.4.3.1). It
// must be called only once per secret.
func (w *welcomeBuilder) encrypt(info []byte) ([]byte, error) {
	member, err := ciphersuite.NewSecretForCS(suite, w.joiner.AsSlice()).HKDFExtract(ciphersuite.ZeroSecretCS(suite))
	if err != nil {
		return nil, err
	}
	secret, err := member.DeriveSecret(suite, "welcome")
	if err != nil {
		return nil, err
	}
	key, err := secret.KdfExpandLabel("key", nil, suite.AEADKeyLength())
	if err != nil {
		return nil, err
	}
	nonce, err := secret.KdfExpandLabel("nonce", nil, suite.AEADNonceLength())
	if err != nil {
		return nil, err
	}
	return ciphersuite.EncryptWithCipherSuite(key.AsSlice(), nonce.AsSlice(), info, nil, suite)
}
