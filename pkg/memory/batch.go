package memory

import "errors"

// ErrConflict means that the stored state differs from a batch's expectation; see [Batch.Expect].
var ErrConflict = errors.New("changed meanwhile")

// LocatedIn is the type of the relation from an entity to the place, or other entity, it is in.
const LocatedIn = "located_in"

// Batch is a set of changes that are applied atomically, in this order: entities are removed, entities are
// put, relations are removed, relations are put, then state is saved.
type Batch struct {
	// Remove lists the ids of entities to delete together with their relations. Unknown ids are ignored.
	Remove []string
	// Put lists entities to insert or replace by id. Their relations are unchanged.
	Put []Entity
	// Unrelate lists relations to delete, identified by From, Type and To. Unknown relations are ignored.
	Unrelate []Relation
	// Relate lists relations to insert or replace by From, Type and To.
	Relate []Relation
	// Record describes how the batch changes the world, in ascending order of Seq. The store keeps the last
	// [MaxWorldChanges] numbers.
	Record []WorldChange
	// State holds values to save in Space, by key. A nil value deletes its key.
	Space string
	State map[string][]byte
	// Expect holds the values that Space must have before the batch is applied; nil means that the key must
	// not exist. If one differs, nothing is changed and the error is [ErrConflict].
	Expect map[string][]byte
}

// DescriptionOf returns the fact that describes an entity, visible to those who know the entity. Its text is
// the name followed by the description.
func DescriptionOf(e Entity) Fact {
	return Fact{Source: "entity:" + e.ID, Text: e.Name + ": " + e.Description, Visible: e.Visible}
}
