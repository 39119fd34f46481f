package memory

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
	// State is kept in Space by key; a nil value removes its key.
	Space string
	State map[string][]byte
}
