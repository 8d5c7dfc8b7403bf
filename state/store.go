package state

import (
	"errors"
	"fmt"
	"slices"
)

// Default limits of a Store (semantics, section 5).
const (
	DefaultMaxMessages     = 100_000
	DefaultMaxMessageBytes = 64 << 20
)

// ErrHeld says that an id is held already.
var ErrHeld = errors.New("the id is held already")

// Store holds the messages of one thread: those that the user sees, reasoning apart, and both together as the
// conversation, each in order of arrival. Every look-up by id is constant time, and a delta costs what it adds.
//
// The zero value works, without a pool. A Store is not safe for concurrent use.
type Store struct {
	// MaxMessages bounds the messages of the thread, reasoning counted; 0: DefaultMaxMessages.
	MaxMessages int
	// MaxMessageBytes bounds what one message holds: its text, parts, arguments, metadata, encrypted values.
	// 0: DefaultMaxMessageBytes.
	MaxMessageBytes int
	// MaxActivityBytes bounds the content of one activity, JSON text. 0: DefaultStateBytes.
	MaxActivityBytes int

	pool *Pool
	shelf
	last, prev *Message // the two last found: streams come in runs of one id, or of two that alternate
	lastCall   *ToolCall
	prevCall   *ToolCall

	// gone holds what the last snapshot dropped: it stays readable until the next one, then goes to the pool.
	gone      []*Message
	goneCalls []*ToolCall

	waiting []*Message // some half of a surrogate was left to wait on them since the last Flush
}

// shelf is what a Store keeps its messages on. It goes to the pool and comes back as a whole.
type shelf struct {
	taken        bool // of a pool or made
	conversation []*Message
	messages     []*Message
	reasoning    []*Message
	hashes       [fewMessages]uint32 // of the conversation's ids, while it has no more messages than that
	byID         map[string]*Message // the index of a longer one
	byCall       map[string]*ToolCall
	callsBefore  map[string]*ToolCall // while a snapshot is applied: the index before it
	places       map[string]int32     // while a snapshot is applied: of its ids, in its list
}

// NewStore is an empty store. Its messages come from p and go back there; p may be nil.
func NewStore(p *Pool) *Store { return &Store{pool: p} }

// Messages is every message but reasoning, in order of arrival. The slice is lent until the store is changed.
func (s *Store) Messages() []*Message { return s.messages }

// Reasoning is the reasoning messages, in order of arrival; lent like Messages.
func (s *Store) Reasoning() []*Message { return s.reasoning }

// Conversation is messages and reasoning together, in order of arrival; lent like Messages.
func (s *Store) Conversation() []*Message { return s.conversation }

// Find is the held message of this id, whatever its role, or nil.
func (s *Store) Find(id []byte) *Message {
	if m := s.last; m != nil && m.ID == string(id) {
		return m
	}
	m := s.prev
	if m == nil || m.ID != string(id) {
		m = s.lookUp(id)
	}
	if m != nil {
		s.last, s.prev = m, s.last
	}
	return m
}

// FindCall is the held call of this id and the message it is on, or nil. Of several calls of one id, which only a
// snapshot or a seed can bring, it is the first in the conversation.
func (s *Store) FindCall(id []byte) (*Message, *ToolCall) {
	if c := s.lastCall; c != nil && c.ID == string(id) {
		return c.message, c
	}
	c := s.prevCall
	if c == nil || c.ID != string(id) {
		c = s.byCall[string(id)]
	}
	if c == nil {
		return nil, nil
	}
	s.lastCall, s.prevCall = c, s.lastCall
	return c.message, c
}

// Add appends an empty message under a new id. Errors: ErrHeld, and *LimitError for MaxMessages; nothing is changed then.
func (s *Store) Add(role Role, id []byte) (*Message, error) {
	if s.lookUp(id) != nil {
		return nil, fmt.Errorf("message %q: %w", id, ErrHeld)
	}
	if err := s.room(len(s.conversation) + 1); err != nil {
		return nil, err
	}
	m := s.pool.takeMessage()
	m.Role = role
	m.ID = m.own(id)
	s.hold(m)
	return m, nil
}

// Insert appends a copy of m, for seeds and adopted input. Errors: ErrHeld, and *LimitError; nothing is changed then.
func (s *Store) Insert(m *Message) error {
	if s.lookUp(bytesOf(m.ID)) != nil {
		return fmt.Errorf("message %q: %w", m.ID, ErrHeld)
	}
	if err := s.room(len(s.conversation) + 1); err != nil {
		return err
	}
	if err := s.fitsWhole(m); err != nil {
		return err
	}
	c := s.pool.takeMessage()
	m.copyTo(c, s.pool)
	s.hold(c)
	for _, call := range c.ToolCalls {
		s.holdCall(c, call)
	}
	return nil
}

// AddCall appends a call to m, which the store holds. Where the id is held already, FindCall keeps finding the first.
// Error: *LimitError for MaxMessageBytes.
func (s *Store) AddCall(m *Message, id, name []byte) (*ToolCall, error) {
	// Every call weighs something, so that calls without arguments are bounded too.
	if err := s.charge(m, len(id)+len(name)); err != nil {
		return nil, err
	}
	c := s.pool.takeCall()
	c.ID, c.Name = c.own(id), c.own(name)
	if m.ToolCalls == nil {
		m.ToolCalls = s.pool.takeCallList()
	}
	m.ToolCalls = append(m.ToolCalls, c)
	s.holdCall(m, c)
	return c, nil
}

func (s *Store) hold(m *Message) {
	if !s.taken {
		s.shelf = s.pool.takeShelf()
	}
	m.held = true
	s.conversation = append(s.conversation, m)
	s.index(len(s.conversation) - 1)
	s.list(m)
	s.last, s.prev = m, s.last
}

// fewMessages is up to how many messages are found by going through the hashes of their ids, which lie together: with
// thousands of threads a map is three more places that are cold.
const fewMessages = 16

func (s *Store) lookUp(id []byte) *Message {
	if len(s.conversation) > fewMessages {
		return s.byID[string(id)]
	}
	hash := idHash(id)
	for i, m := range s.conversation {
		if s.hashes[i] == hash && m.ID == string(id) {
			return m
		}
	}
	return nil
}

// index makes the conversation's message at a place, its last one so far, one that is found.
func (s *Store) index(at int) {
	m := s.conversation[at]
	switch {
	case at < fewMessages:
		s.hashes[at] = idHash(bytesOf(m.ID))
	case at == fewMessages:
		if s.byID == nil {
			s.byID = make(map[string]*Message, 2*fewMessages)
		}
		for _, m := range s.conversation[:at+1] {
			s.byID[m.ID] = m
		}
	default:
		s.byID[m.ID] = m
	}
}

// idHash need only tell a few ids apart; what compares equal is looked at.
func idHash(id []byte) uint32 {
	head, tail := docHead(id), uint64(len(id))
	if len(id) > docHeadBytes {
		tail += docHead(id[len(id)-docHeadBytes:])
	}
	return uint32((head*0x9e3779b97f4a7c15 ^ tail*0xc2b2ae3d27d4eb4f) >> 32)
}

// list puts a message that is in the conversation on the list of its role.
func (s *Store) list(m *Message) {
	if m.Role == RoleReasoning {
		m.slot = 0
		s.reasoning = append(s.reasoning, m)
		return
	}
	s.messages = append(s.messages, m)
	m.slot = int32(len(s.messages))
}

func (s *Store) holdCall(m *Message, c *ToolCall) {
	c.message = m
	if s.byCall == nil {
		s.byCall = make(map[string]*ToolCall)
	}
	if s.byCall[c.ID] == nil {
		s.byCall[c.ID] = c
	}
}

func (s *Store) room(messages int) error {
	limit := s.MaxMessages
	if limit == 0 {
		limit = DefaultMaxMessages
	}
	if messages > limit {
		return &LimitError{What: "messages of a thread", Limit: int64(limit)}
	}
	return nil
}

// fitsWhole says whether a message that comes as a whole fits.
func (s *Store) fitsWhole(m *Message) error {
	limit := orDefault(s.MaxActivityBytes, DefaultStateBytes)
	if m.Activity != nil && m.Activity.Size() > limit {
		return &LimitError{What: "bytes of an activity", Limit: int64(limit)}
	}
	return s.fits(m.size())
}

func (s *Store) fits(bytes int) error {
	limit := s.MaxMessageBytes
	if limit == 0 {
		limit = DefaultMaxMessageBytes
	}
	if bytes > limit {
		return &LimitError{What: "bytes of one message", Limit: int64(limit)}
	}
	return nil
}

// charge adds to a message's bytes, or says that they don't fit.
func (s *Store) charge(m *Message, n int) error {
	if err := s.fits(m.bytes + n); err != nil {
		return err
	}
	m.bytes += n
	return nil
}

// Reset empties the store; everything goes back to the pool. Messages, calls and views of them end here. Limits stay.
func (s *Store) Reset() {
	s.release()
	clear(s.waiting)
	s.waiting = s.waiting[:0]
	for _, m := range s.conversation {
		s.pool.putMessage(m)
	}
	s.pool.putShelf(s.shelf)
	s.shelf = shelf{}
	s.gone = shed(s.gone, keptList)
	s.goneCalls = shed(s.goneCalls, keptList)
	s.waiting = shed(s.waiting, keptList)
	s.last, s.prev, s.lastCall, s.prevCall = nil, nil, nil, nil
}

// release gives to the pool what the last snapshot dropped.
func (s *Store) release() {
	if len(s.gone) > 0 && len(s.waiting) > 0 {
		// What goes to the pool may come back as another message.
		s.waiting = slices.DeleteFunc(s.waiting, func(m *Message) bool { return !m.held })
	}
	for i, m := range s.gone {
		s.pool.putMessage(m)
		s.gone[i] = nil
	}
	for i, c := range s.goneCalls {
		s.pool.putCall(c)
		s.goneCalls[i] = nil
	}
	s.gone, s.goneCalls = s.gone[:0], s.goneCalls[:0]
}
