package untrusted

// NameBook finds the owner of a name by how the name looks. The zero NameBook is empty and ready to use. It
// is not safe for concurrent use.
type NameBook[Owner comparable] struct{ owners map[string]Owner }

// Add records that a name belongs to owner, unless another owner has a name that looks like it.
func (b *NameBook[Owner]) Add(name string, owner Owner) {
	if b.owners == nil {
		b.owners = map[string]Owner{}
	}
	for _, k := range keys(name) {
		if _, taken := b.owners[k]; !taken {
			b.owners[k] = owner
		}
	}
}

// Remove removes a name of owner.
func (b *NameBook[Owner]) Remove(name string, owner Owner) {
	for _, k := range keys(name) {
		if b.owners[k] == owner {
			delete(b.owners, k)
		}
	}
}

// Find returns the owner of a name, or of a name that looks like it.
func (b *NameBook[Owner]) Find(name string) (owner Owner, ok bool) {
	for _, k := range keys(name) {
		if owner, ok = b.owners[k]; ok {
			return owner, true
		}
	}
	return owner, false
}
