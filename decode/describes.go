package decode

// Describes says whether events of this type have a member f; one that is there all the same is an unknown property.
func (t Type) Describes(f Field) bool {
	s := &shapes[t]
	return (s.required | s.optional).Has(f)
}
