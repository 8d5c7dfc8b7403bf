package state

import "strconv"

// Patch is a reusable, parsed JSON Patch.
type Patch struct{}

// UnknownOp is an operation whose name this version doesn't know.
type UnknownOp struct {
	Index int
	Op    string
}

func (p *Patch) Parse(raw []byte) error { return nil }
func (p *Patch) Unknown() []UnknownOp   { return nil }
func (p *Patch) Len() int               { return 0 }

// MalformedError says that a text is no JSON Patch.
type MalformedError struct {
	Index  int    // of the operation; -1: the patch itself
	Path   string // place within the patch, such as "/1/from"
	Reason string
}

func (e *MalformedError) Error() string {
	return "malformed patch at " + strconv.Quote(e.Path) + ": " + e.Reason
}

// PatchError says why a patch didn't apply.
type PatchError struct {
	Index  int
	Op     string
	Path   string
	Reason string
	Limit  int64
}

func (e *PatchError) Error() string { return e.Reason }
