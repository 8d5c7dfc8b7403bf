package state

import (
	"math"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"
)

// The closed shapes of outcomes (protocol 2.4), interrupts (2.5) and usage (2.6).
var (
	runOutcomes = named(map[string]shape{
		"success":   {required: membersOf(memberType), optional: membersOf(memberPendingToolCallIDs)},
		"interrupt": {required: membersOf(memberType, memberInterrupts)},
		"cancelled": {required: membersOf(memberType)},
	})
	subagentOutcomes = named(map[string]shape{
		"success":   {required: membersOf(memberType)},
		"suspended": {required: membersOf(memberType), optional: membersOf(memberInterruptIDs)},
	})
	interruptShape = shape{
		required: membersOf(memberID, memberReason),
		optional: membersOf(memberMessage, memberToolCallID, memberResponseSchema, memberExpiresAt, memberMetadata, memberSubagentRunID),
	}
	usageShape = shape{optional: membersOf(memberProvider, memberModel, memberInputTokens, memberOutputTokens, memberTotalTokens,
		memberReasoningTokens, memberCachedInputTokens, memberCacheWriteInputTokens)}
)

// RunOutcome decodes the outcome of RUN_FINISHED. ok is false without an error where its type is unknown and it was
// stripped (Spec): the run then reads as a success without one. Its lists of strings are lent until the next call.
func (e *Enforcer) RunOutcome(raw []byte, path string) (o Outcome, ok bool, err error) {
	return e.outcome(raw, path, runOutcomes)
}

// SubagentOutcome is RunOutcome for SUBAGENT_FINISHED.
func (e *Enforcer) SubagentOutcome(raw []byte, path string) (o Outcome, ok bool, err error) {
	return e.outcome(raw, path, subagentOutcomes)
}

func (e *Enforcer) outcome(raw []byte, path string, shapes map[string]shape) (out Outcome, ok bool, err error) {
	e.room.empty()
	err = e.walk(raw, path, func(d *enforcement, v *fastjson.Value) error {
		out, ok, err = d.outcome(v, shapes)
		return err
	})
	if err != nil {
		return Outcome{}, false, err
	}
	return out, ok, nil
}

func (d *enforcement) outcome(v *fastjson.Value, shapes map[string]shape) (out Outcome, ok bool, err error) {
	var o object
	if err := d.read(&o, v); err != nil {
		return out, false, err
	}
	kind, err := d.discriminator(&o, memberType)
	if err != nil {
		return out, false, err
	}
	s, ok := shapes[string(kind)]
	if !ok {
		return out, false, d.strip("outcome", kind, memberType, "outcome dropped")
	}
	if err := d.enforce(&o, s); err != nil {
		return out, false, err
	}
	out.Type = s.name
	out.HasPending = o.set.has(memberPendingToolCallIDs)
	if out.PendingToolCallIDs, err = d.strings(&o, memberPendingToolCallIDs); err != nil {
		return out, false, err
	}
	if out.InterruptIDs, err = d.strings(&o, memberInterruptIDs); err != nil {
		return out, false, err
	}
	var kept partRoom // interrupts are the caller's: they lie in memory of their own
	if o.set.has(memberInterrupts) {
		kept.text = make([]byte, 0, d.size)
		out.Interrupts = make([]Interrupt, 0, len(o.values[memberInterrupts].GetArray()))
	}
	err = d.list(&o, memberInterrupts, func(v *fastjson.Value) error {
		in, err := d.interrupt(v, &kept)
		out.Interrupts = append(out.Interrupts, in)
		return err
	})
	if err == nil && o.set.has(memberInterrupts) && len(out.Interrupts) == 0 {
		n := d.enter(memberInterrupts.String())
		defer d.leave(n)
		err = d.malformed("is empty")
	}
	return out, err == nil, err
}

func (d *enforcement) interrupt(v *fastjson.Value, room *partRoom) (in Interrupt, err error) {
	var o object
	if err := d.read(&o, v); err != nil {
		return in, err
	}
	if err := d.enforce(&o, interruptShape); err != nil {
		return in, err
	}
	if in.ID, err = d.partStr(&o, memberID, room); err != nil {
		return in, err
	}
	if in.Reason, err = d.partStr(&o, memberReason, room); err != nil {
		return in, err
	}
	if in.Message, err = d.partOpt(&o, memberMessage, room); err != nil {
		return in, err
	}
	if in.ToolCallID, err = d.partOpt(&o, memberToolCallID, room); err != nil {
		return in, err
	}
	if in.ExpiresAt, err = d.partOpt(&o, memberExpiresAt, room); err != nil {
		return in, err
	}
	if in.SubagentRunID, err = d.partOpt(&o, memberSubagentRunID, room); err != nil {
		return in, err
	}
	if in.ResponseSchema, err = d.objectIn(&o, memberResponseSchema, room); err != nil {
		return in, err
	}
	in.Metadata, err = d.objectIn(&o, memberMetadata, room)
	return in, err
}

// objectIn is keptObject in a room.
func (d *enforcement) objectIn(o *object, m member, room *partRoom) (JSON, error) {
	if err := d.isObject(o, m); err != nil || !o.set.has(m) {
		return nil, err
	}
	return d.keepIn(room, o.values[m]), nil
}

// Usage decodes the token usage of a run.
func (e *Enforcer) Usage(raw []byte, path string) (list []TokenUsage, err error) {
	list = []TokenUsage{}
	err = e.walk(raw, path, func(d *enforcement, v *fastjson.Value) error {
		return d.elements(v, func(v *fastjson.Value) error {
			u, err := d.usage(v)
			list = append(list, u)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

func (d *enforcement) usage(v *fastjson.Value) (u TokenUsage, err error) {
	var o object
	if err := d.read(&o, v); err != nil {
		return u, err
	}
	if err := d.enforce(&o, usageShape); err != nil {
		return u, err
	}
	room := new(usageRoom)
	for i, s := range [...]struct {
		member member
		at     **string
	}{{memberProvider, &u.Provider}, {memberModel, &u.Model}} {
		name, err := d.opt(&o, s.member, nil)
		if err != nil {
			return u, err
		}
		if room.names[i] = name.Value; name.Present {
			*s.at = &room.names[i]
		}
	}
	for i, c := range u.counts() {
		if !o.set.has(c.member) {
			continue
		}
		if room.counts[i], err = d.count(&o, c.member); err != nil {
			return u, err
		}
		*c.at = &room.counts[i]
	}
	return u, nil
}

// usageRoom is what the members of one TokenUsage point to.
type usageRoom struct {
	names  [2]string
	counts [6]int64
}

// maxCount is 2^53-1, the largest integer that every JSON reader holds exactly.
const maxCount = 1<<53 - 1

func (d *enforcement) count(o *object, m member) (int64, error) {
	v := o.values[m]
	n := d.enter(m.String())
	defer d.leave(n)
	if v.Type() != fastjson.TypeNumber {
		return 0, d.mistyped("a number", v)
	}
	d.scratch = v.MarshalTo(d.scratch[:0])
	count, ok := parseIntegral(string(d.scratch))
	if !ok {
		return 0, d.malformed("is not an integer from 0 to 9007199254740991")
	}
	return count, nil
}

// parseIntegral reads a JSON number whose value is an integer from 0 to maxCount, however it is written: 1.0 and 1e3
// are integers too (A23).
func parseIntegral(s string) (int64, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, n >= 0 && n <= maxCount
	}
	negative := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	mantissa, exponent := s, int64(0)
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa = s[:i]
		e, err := strconv.ParseInt(strings.TrimPrefix(s[i+1:], "+"), 10, 64)
		if err != nil {
			// So far out that only a zero is still an integer.
			e = math.MinInt32
		}
		exponent = max(min(e, math.MaxInt32), math.MinInt32)
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent -= int64(len(fraction))
	trimmed := strings.TrimRight(digits, "0")
	exponent += int64(len(digits) - len(trimmed))
	if trimmed == "" {
		return 0, true
	}
	if negative || exponent < 0 || int64(len(trimmed))+exponent > 16 {
		return 0, false
	}
	n, err := strconv.ParseInt(trimmed+strings.Repeat("0", int(exponent)), 10, 64)
	return n, err == nil && n <= maxCount
}
