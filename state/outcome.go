package state

// Outcome is how a run or a subagent finished (protocol 2.4). Type is success, interrupt or cancelled for a run; success
// or suspended for a subagent.
type Outcome struct {
	Type               string
	PendingToolCallIDs []string // run success, when HasPending
	HasPending         bool
	Interrupts         []Interrupt // interrupt: at least one
	InterruptIDs       []string    // suspended; nil: absent
}

// AppendJSON appends the wire form.
func (o *Outcome) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	dst = appendString(dst, "type", o.Type)
	if o.HasPending {
		dst = appendStrings(dst, "pendingToolCallIds", o.PendingToolCallIDs)
	}
	if o.Interrupts != nil {
		dst = appendList(dst, "interrupts", o.Interrupts, func(dst []byte, in *Interrupt) []byte { return in.AppendJSON(dst) })
	}
	if o.InterruptIDs != nil {
		dst = appendStrings(dst, "interruptIds", o.InterruptIDs)
	}
	return append(dst, '}')
}
