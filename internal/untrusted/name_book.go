package untrusted

// NameBook finds whose a name is by how the name looks. The zero Book is empty and ready to use.
// It is not safe for concurrent use.
type NameBook[Owner comparable] struct{ owners map[string]Owner }

// Add notes that a name is an owner's, unless one that looks like it is somebody's already.
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

// Remove takes a name of an owner out.
func (b *NameBook[Owner]) Remove(name string, owner Owner) {
	for _, k := range keys(name) {
		if b.owners[k] == owner {
			delete(b.owners, k)
		}
	}
}

// Find returns whose a name is, or which owner has one that looks like it.
func (b *NameBook[Owner]) Find(name string) (owner Owner, ok bool) {
	for _, k := range keys(name) {
		if owner, ok = b.owners[k]; ok {
			return owner, true
		}
	}
	return owner, false
}
