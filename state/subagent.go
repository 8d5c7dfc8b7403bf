package state

// Status is where a subagent stands.
type Status uint8

// The four standings.
const (
	Running Status = iota
	Finished
	Suspended
	Failed
)

var statusNames = [...]string{Running: "running", Finished: "finished", Suspended: "suspended", Failed: "failed"}

// String is the standing in lower case.
func (s Status) String() string {
	if int(s) >= len(statusNames) {
		return ""
	}
	return statusNames[s]
}

// Subagent is one invocation of a subagent, across the runs of a thread.
type Subagent struct {
	ID, Name            string
	Description         OptString
	ParentSubagentRunID OptString
	ParentToolCallID    OptString
	ParentMessageID     OptString
	Status              Status
	Result              JSON      // Finished, Suspended
	InterruptIDs        []string  // Suspended
	Message             string    // Failed
	Code                OptString // Failed
	Mark                Mark      // as Message.Mark

	ids        []byte
	result     JSON
	interrupts []string
}

// SetInterruptIDs keeps a copy of the list; it writes over the one before.
func (a *Subagent) SetInterruptIDs(list []string) {
	a.interrupts = a.interrupts[:0]
	for _, id := range list {
		a.interrupts = append(a.interrupts, a.Own(bytesOf(id)))
	}
	a.InterruptIDs = a.interrupts
}

// Own keeps a string for as long as the entry is held, in the entry's memory where it is short.
func (a *Subagent) Own(b []byte) string { return ownIn(&a.ids, b) }

// SetResult keeps a copy of the result (validated JSON text); it writes over the one before.
func (a *Subagent) SetResult(raw []byte) {
	a.result = NormalizeJSON(a.result[:0], raw)
	a.Result = a.result
}

// AppendJSON appends the entry; members that don't apply to its standing are left out.
func (a *Subagent) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	dst = appendString(dst, "id", a.ID)
	dst = appendString(dst, "name", a.Name)
	dst = appendOpt(dst, "description", a.Description)
	dst = appendOpt(dst, "parentSubagentRunId", a.ParentSubagentRunID)
	dst = appendOpt(dst, "parentToolCallId", a.ParentToolCallID)
	dst = appendOpt(dst, "parentMessageId", a.ParentMessageID)
	dst = appendString(dst, "status", a.Status.String())
	if a.Status == Finished || a.Status == Suspended {
		dst = appendJSON(dst, "result", a.Result)
	}
	if a.Status == Suspended && len(a.InterruptIDs) > 0 {
		dst = appendStrings(dst, "interruptIds", a.InterruptIDs)
	}
	if a.Status == Failed {
		dst = appendString(dst, "message", a.Message)
		dst = appendOpt(dst, "code", a.Code)
	}
	return append(dst, '}')
}

// Clone is a deep copy in its own memory, without the Mark.
func (a *Subagent) Clone() *Subagent {
	c := *a
	c.Result = a.Result.clone()
	c.InterruptIDs = cloneStrings(a.InterruptIDs)
	c.Mark, c.ids, c.result, c.interrupts = Mark{}, nil, nil, nil
	return &c
}

// Subagents holds the invocations of one thread, in order of announcement. The zero value is ready.
type Subagents struct {
	list []*Subagent
	byID map[string]int
	free freeList[*Subagent]
}

// List is every entry, in order of announcement; lent until an Add or Reset.
func (s *Subagents) List() []*Subagent { return s.list }

// Find is the entry of this id and its index, or -1 and nil.
func (s *Subagents) Find(id []byte) (int, *Subagent) {
	i, ok := s.byID[string(id)]
	if !ok {
		return -1, nil
	}
	return i, s.list[i]
}

// Add appends an entry, Running and otherwise empty; under a held id it is that of Find.
func (s *Subagents) Add(id []byte) (int, *Subagent) {
	if i, a := s.Find(id); a != nil {
		return i, a
	}
	if s.byID == nil {
		s.byID = make(map[string]int)
	}
	a, ok := s.free.get()
	if !ok {
		a = new(Subagent)
	}
	a.ID = a.Own(id)
	i := len(s.list)
	s.byID[a.ID] = i
	s.list = append(s.list, a)
	return i, a
}

// keptResult is the size up to which a result's buffer serves the next entry.
const keptResult = 4 << 10

// Reset empties the store. Entries are used again: pointers to them end here, their strings live on.
func (s *Subagents) Reset() {
	if cap(s.list) > keptSubagents {
		*s = Subagents{}
		return
	}
	for i, a := range s.list {
		poison(a.ids)
		poison(a.result)
		clear(a.interrupts)
		result := a.result[:0]
		if cap(result) > keptResult {
			result = nil
		}
		*a = Subagent{ids: a.ids[:0], result: result, interrupts: a.interrupts[:0]}
		s.free.put(a)
		s.list[i] = nil
	}
	s.list = s.list[:0]
	clear(s.byID)
}
