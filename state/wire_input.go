package state

import (
	"slices"

	"github.com/valyala/fastjson"
)

// The closed shapes of the request (protocol 2.2, 2.5, 2.7).
var (
	inputShape   = shape{required: membersOf(memberThreadID, memberRunID, memberMessages), optional: membersOf(memberProtocolVersion, memberParentRunID, memberState, memberTools, memberContext, memberForwardedProps, memberResume)}
	toolShape    = shape{required: membersOf(memberName, memberDescription), optional: membersOf(memberParameters, memberMetadata)}
	contextShape = shape{required: membersOf(memberDescription, memberValue)}
	resumeShape  = shape{required: membersOf(memberInterruptID, memberStatus), optional: membersOf(memberPayload, memberMetadata)}
)

// Input decodes a request: that which RUN_STARTED echoes, or one that is about to be sent.
func (e *Enforcer) Input(raw []byte, path string) (in *RunAgentInput, err error) {
	err = e.walk(raw, path, func(d *enforcement, v *fastjson.Value) error {
		in, err = d.input(v)
		return err
	})
	if err != nil {
		return nil, err
	}
	return in, nil
}

func (d *enforcement) input(v *fastjson.Value) (*RunAgentInput, error) {
	var o object
	if err := d.read(&o, v); err != nil {
		return nil, err
	}
	if err := d.enforce(&o, inputShape); err != nil {
		return nil, err
	}
	in := new(RunAgentInput)
	var err error
	if in.ThreadID, err = d.str(&o, memberThreadID, nil); err != nil {
		return nil, err
	}
	if in.RunID, err = d.str(&o, memberRunID, nil); err != nil {
		return nil, err
	}
	if in.ProtocolVersion, err = d.opt(&o, memberProtocolVersion, nil); err != nil {
		return nil, err
	}
	if in.ParentRunID, err = d.opt(&o, memberParentRunID, nil); err != nil {
		return nil, err
	}
	in.State, in.ForwardedProps = d.kept(&o, memberState), d.kept(&o, memberForwardedProps)
	if in.Tools, err = listOf(d, &o, memberTools, d.tool); err != nil {
		return nil, err
	}
	if in.Context, err = listOf(d, &o, memberContext, d.context); err != nil {
		return nil, err
	}
	if in.Resume, err = listOf(d, &o, memberResume, d.resume); err != nil {
		return nil, err
	}
	n := d.enter(memberMessages.String())
	defer d.leave(n)
	list, err := d.messages(o.values[memberMessages])
	in.Messages = slices.Clone(list)
	return in, err
}

// listOf decodes an optional list, nil when absent, of which elements can be dropped.
func listOf[T any](d *enforcement, o *object, m member, one func(v *fastjson.Value) (T, bool, error)) ([]T, error) {
	if !o.set.has(m) {
		return nil, nil
	}
	list := []T{}
	err := d.list(o, m, func(v *fastjson.Value) error {
		t, ok, err := one(v)
		if ok {
			list = append(list, t)
		}
		return err
	})
	return list, err
}

func (d *enforcement) tool(v *fastjson.Value) (t Tool, ok bool, err error) {
	var o object
	if err := d.read(&o, v); err != nil {
		return t, false, err
	}
	if err := d.enforce(&o, toolShape); err != nil {
		return t, false, err
	}
	if t.Name, err = d.str(&o, memberName, nil); err != nil {
		return t, false, err
	}
	if t.Description, err = d.str(&o, memberDescription, nil); err != nil {
		return t, false, err
	}
	t.Parameters = d.kept(&o, memberParameters)
	t.Metadata, err = d.keptObject(&o, memberMetadata)
	return t, err == nil, err
}

func (d *enforcement) context(v *fastjson.Value) (c Context, ok bool, err error) {
	var o object
	if err := d.read(&o, v); err != nil {
		return c, false, err
	}
	if err := d.enforce(&o, contextShape); err != nil {
		return c, false, err
	}
	if c.Description, err = d.str(&o, memberDescription, nil); err != nil {
		return c, false, err
	}
	c.Value, err = d.str(&o, memberValue, nil)
	return c, err == nil, err
}

func (d *enforcement) resume(v *fastjson.Value) (r ResumeEntry, ok bool, err error) {
	var o object
	if err := d.read(&o, v); err != nil {
		return r, false, err
	}
	if err := d.enforce(&o, resumeShape); err != nil {
		return r, false, err
	}
	if r.InterruptID, err = d.str(&o, memberInterruptID, nil); err != nil {
		return r, false, err
	}
	if r.Metadata, err = d.keptObject(&o, memberMetadata); err != nil {
		return r, false, err
	}
	r.Payload = d.kept(&o, memberPayload)
	if r.Status, err = d.str(&o, memberStatus, nil); err != nil {
		return r, false, err
	}
	if r.Status != ResumeResolved && r.Status != ResumeCancelled {
		return r, false, d.strip("status", []byte(r.Status), memberStatus, "entry dropped")
	}
	return r, true, nil
}
