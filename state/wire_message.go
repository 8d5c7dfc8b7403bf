package state

import (
	"github.com/valyala/fastjson"
)

// The closed shapes of messages by role (protocol 2.1), without id and role, which all have.
var (
	messageBase    = membersOf(memberID, memberRole)
	messageCommon  = membersOf(memberMetadata, memberSubagentRunID)
	messageCipher  = membersOf(memberEncryptedValue, memberEncryptedValueType)
	messageContent = membersOf(memberContent)

	messageShapes = [...]shape{
		RoleDeveloper: textShape,
		RoleSystem:    textShape,
		RoleUser:      textShape,
		RoleAssistant: {required: messageBase, optional: messageCommon | messageCipher | messageContent | membersOf(memberName, memberToolCalls)},
		RoleTool:      {required: messageBase | messageContent | membersOf(memberToolCallID), optional: messageCommon | messageCipher | membersOf(memberError)},
		RoleActivity:  {required: messageBase | messageContent | membersOf(memberActivityType), optional: messageCommon},
		RoleReasoning: {required: messageBase | messageContent, optional: messageCommon | messageCipher},
	}
	textShape = shape{required: messageBase | messageContent, optional: messageCommon | messageCipher | membersOf(memberName)}

	callShape     = shape{required: membersOf(memberID, memberType, memberFunction), optional: messageCipher | membersOf(memberMetadata)}
	functionShape = shape{required: membersOf(memberName, memberArguments)}
)

// Messages decodes a list of messages. One of an unknown role is dropped from it (Spec). The list is lent until the next
// call; the messages are the caller's.
func (e *Enforcer) Messages(raw []byte, path string) (list []*Message, err error) {
	err = e.walk(raw, path, func(d *enforcement, v *fastjson.Value) error {
		list, err = d.messages(v)
		return err
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

func (d *enforcement) messages(v *fastjson.Value) ([]*Message, error) {
	list := d.messagesRead[:0]
	err := d.elements(v, func(v *fastjson.Value) error {
		m, ok, err := d.message(v)
		if ok {
			list = append(list, m)
		}
		return err
	})
	d.messagesRead = list
	if err != nil {
		for _, m := range list {
			d.Pool.putMessage(m)
		}
		return nil, err
	}
	return list, nil
}

func (d *enforcement) message(v *fastjson.Value) (*Message, bool, error) {
	var o object
	if err := d.read(&o, v); err != nil {
		return nil, false, err
	}
	name, err := d.discriminator(&o, memberRole)
	if err != nil {
		return nil, false, err
	}
	role, ok := ParseRole(name)
	if !ok {
		return nil, false, d.strip("role", name, memberRole, "message dropped")
	}
	if err := d.enforce(&o, messageShapes[role]); err != nil {
		return nil, false, err
	}
	m := d.Pool.takeMessage()
	m.Role = role
	if err := d.fill(m, &o); err != nil {
		d.Pool.putMessage(m)
		return nil, false, err
	}
	m.bytes = m.size()
	return m, true, nil
}

// strip is the end of what holds an unknown member of a union: an error at the discriminator in Loud, else a warning at
// the path at hand.
func (d *enforcement) strip(kind string, value []byte, at member, consequence string) error {
	n := d.enter(at.String())
	err := d.unknown(kind, value)
	d.leave(n)
	if err == nil {
		d.warn(unknownText(kind, value) + ", " + consequence)
	}
	return err
}

func (d *enforcement) fill(m *Message, o *object) (err error) {
	if m.ID, err = d.str(o, memberID, &m.ids); err != nil {
		return err
	}
	if m.Name, err = d.opt(o, memberName, &m.ids); err != nil {
		return err
	}
	if m.SubagentRunID, err = d.opt(o, memberSubagentRunID, &m.ids); err != nil {
		return err
	}
	if m.EncryptedValue, err = d.opt(o, memberEncryptedValue, &m.ids); err != nil {
		return err
	}
	if m.EncryptedValueType, err = d.opt(o, memberEncryptedValueType, &m.ids); err != nil {
		return err
	}
	if m.Metadata, err = d.metadata(o); err != nil {
		return err
	}
	switch m.Role {
	case RoleTool:
		if m.ToolCallID, err = d.str(o, memberToolCallID, &m.ids); err != nil {
			return err
		}
		if m.Error, err = d.opt(o, memberError, &m.ids); err != nil {
			return err
		}
	case RoleAssistant:
		if err := d.calls(m, o); err != nil {
			return err
		}
	case RoleActivity:
		return d.activity(m, o)
	}
	return d.content(m, o)
}

func (d *enforcement) content(m *Message, o *object) error {
	if !o.set.has(memberContent) {
		return nil
	}
	v := o.values[memberContent]
	if v.Type() == fastjson.TypeString {
		text := v.GetStringBytes()
		m.text, m.hasText = append(d.Pool.growBuffer(m.text[:0], len(text)), text...), true
		return nil
	}
	n := d.enter(memberContent.String())
	defer d.leave(n)
	if m.Role != RoleUser && m.Role != RoleTool {
		return d.mistyped("a string", v)
	}
	if v.Type() != fastjson.TypeArray {
		return d.mistyped("a string or an array", v)
	}
	parts, err := d.parts(v, nil)
	m.Parts, m.HasParts = parts, true
	return err
}

func (d *enforcement) activity(m *Message, o *object) (err error) {
	if m.ActivityType, err = d.str(o, memberActivityType, &m.ids); err != nil {
		return err
	}
	if err := d.isObject(o, memberContent); err != nil {
		return err
	}
	m.Activity = d.Pool.takeDocument()
	d.scratch = o.values[memberContent].MarshalTo(d.scratch[:0])
	return m.Activity.Set(d.scratch)
}

func (d *enforcement) metadata(o *object) (Metadata, error) {
	if err := d.isObject(o, memberMetadata); err != nil || !o.set.has(memberMetadata) {
		return nil, err
	}
	d.scratch = o.values[memberMetadata].MarshalTo(d.scratch[:0])
	var md Metadata
	md.MergeJSON(d.scratch)
	return md, nil
}

func (d *enforcement) calls(m *Message, o *object) error {
	if !o.set.has(memberToolCalls) {
		return nil
	}
	m.ToolCalls = d.Pool.takeCallList()
	if m.ToolCalls == nil {
		m.ToolCalls = []*ToolCall{}
	}
	return d.list(o, memberToolCalls, func(v *fastjson.Value) error {
		c := d.Pool.takeCall()
		m.ToolCalls = append(m.ToolCalls, c)
		return d.call(c, v)
	})
}

func (d *enforcement) call(c *ToolCall, v *fastjson.Value) (err error) {
	var o object
	if err := d.read(&o, v); err != nil {
		return err
	}
	if err := d.enforce(&o, callShape); err != nil {
		return err
	}
	if c.ID, err = d.str(&o, memberID, &c.ids); err != nil {
		return err
	}
	kind, err := d.bytes(&o, memberType)
	if err != nil {
		return err
	}
	if string(kind) != "function" {
		n := d.enter(memberType.String())
		defer d.leave(n)
		return d.malformed(`is not "function"`)
	}
	if c.EncryptedValue, err = d.opt(&o, memberEncryptedValue, &c.ids); err != nil {
		return err
	}
	if c.EncryptedValueType, err = d.opt(&o, memberEncryptedValueType, &c.ids); err != nil {
		return err
	}
	if c.Metadata, err = d.metadata(&o); err != nil {
		return err
	}
	return d.function(c, o.values[memberFunction])
}

func (d *enforcement) function(c *ToolCall, v *fastjson.Value) (err error) {
	n := d.enter(memberFunction.String())
	defer d.leave(n)
	var o object
	if err := d.read(&o, v); err != nil {
		return err
	}
	if err := d.enforce(&o, functionShape); err != nil {
		return err
	}
	if c.Name, err = d.str(&o, memberName, &c.ids); err != nil {
		return err
	}
	arguments, err := d.bytes(&o, memberArguments)
	if err != nil {
		return err
	}
	c.args = append(d.Pool.growBuffer(c.args[:0], len(arguments)), arguments...)
	return nil
}
