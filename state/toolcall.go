package state

// ToolCall is one call of a function, on its assistant message (protocol 2.2). It has no owner of its own: it takes its
// message's. The lifetimes are those of Message.
type ToolCall struct {
	ID string

	args    []byte // append-only while held
	carry   uint16
	gone    int32 // place in Store.goneCalls, while there
	message *Message
	ids     []byte
	keys    keyIndex

	Mark               Mark // as Message.Mark
	Metadata           Metadata
	Name               string
	EncryptedValue     OptString
	EncryptedValueType OptString
}

// NewToolCall is a call in its own memory: for seeds and requests.
func NewToolCall(id, name, arguments string) *ToolCall {
	return &ToolCall{ID: id, Name: name, args: []byte(arguments)}
}

// Arguments is the argument text so far, without a copy: a view as Message.Text gives. The protocol never parses it, and
// it need not be JSON.
func (c *ToolCall) Arguments() string { return lend(c.args) }

// SetArguments replaces the arguments of a call that is in no Store.
func (c *ToolCall) SetArguments(s string) { c.args, c.carry = []byte(s), 0 }

// Message is the message that holds the call; nil when no Store does.
func (c *ToolCall) Message() *Message { return c.message }

// Clone is a deep copy in its own memory, in no Store.
func (c *ToolCall) Clone() *ToolCall {
	d := new(ToolCall)
	c.copyTo(d, nil)
	return d
}

func (c *ToolCall) copyTo(d *ToolCall, p *Pool) {
	d.ID, d.Name = d.own(bytesOf(c.ID)), d.own(bytesOf(c.Name))
	d.EncryptedValue = d.ownOpt(c.EncryptedValue)
	d.EncryptedValueType = d.ownOpt(c.EncryptedValueType)
	d.Metadata = c.Metadata.Clone()
	d.args = append(p.growBuffer(d.args, len(c.args)), c.args...)
}

func (c *ToolCall) own(b []byte) string { return ownIn(&c.ids, b) }
func (c *ToolCall) ownOpt(o OptString) OptString {
	return OptString{Value: c.own(bytesOf(o.Value)), Present: o.Present}
}
