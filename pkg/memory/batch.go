package memory

import "errors"

// ErrConflict means that something is not as the writer of a batch believed.
var ErrConflict = errors.New("changed meanwhile")

// LocatedIn is the type of the relation that leads from what is somewhere to
// the entity it is in.
const LocatedIn = "located_in"

// Batch is a set of changes that take place together or not at all: first what
// is removed, then what is put, then relations, then state.
type Batch struct {
	// Remove lists the ids of entities to delete with their relations; unknown
	// ones are passed over.
	Remove []string
	// Put lists entities to insert or replace by id; their relations stay.
	Put []Entity
	// Unrelate lists relations to delete, by From, Type and To; unknown ones are
	// passed over.
	Unrelate []Relation
	// Relate lists relations to insert or replace by From, Type and To.
	Relate []Relation
	// Record is what the batch does to the world, in the order of the numbers. Of what
	// is recorded the last [MaxWorldChanges] numbers are kept.
	Record []WorldChange
	// State is kept in Space by key; a nil value removes its key.
	Space string
	State map[string][]byte
	// Expect is what must be in Space before; a nil value stands for no value.
	// If it is not so, nothing is done and the error is ErrConflict.
	Expect map[string][]byte
}

// DescriptionOf is the fact that tells who or what an entity is, for those who
// know of it. Its text is the name and the description.
func DescriptionOf(e Entity) Fact {
	return Fact{Source: "entity:" + e.ID, Text: e.Name + ": " + e.Description, Visible: e.Visible}
}
