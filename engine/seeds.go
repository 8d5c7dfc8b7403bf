package engine

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/aguistream/aguistream/decode"
)

// ownSeeds replaces seeds by copies and judges those, where the caller hears of it: the stream's own stores are made of
// them on its shard, some time later.
func ownSeeds(opt *StreamOptions) error {
	if len(opt.Messages) == 0 && opt.State == nil {
		return nil
	}
	if err := checkSeeds(opt.Messages); err != nil {
		return err
	}
	copies := make([]*Message, len(opt.Messages))
	for i, msg := range opt.Messages {
		copies[i] = msg.Clone()
	}
	opt.Messages, opt.State = copies, slices.Clone(opt.State)
	_, err := newMachine(&Pool{plain: true}, *opt, nil)
	return err
}

// checkSeeds finds what can't be a held message. (What it returns is an error, so that no nil *Error is taken for one.)
func checkSeeds(list []*Message) error {
	for i, msg := range list {
		fault := ""
		switch {
		case msg == nil:
			fault = " is nil"
		case msg.Role.String() == "":
			fault = " has no role"
		case msg.ID == "":
			fault = " has no id"
		case slices.Contains(msg.ToolCalls, nil):
			fault = " has a nil tool call"
		}
		if fault != "" {
			return configError("seed message "+strconv.Itoa(i)+fault, nil)
		}
	}
	return nil
}

// seed fills empty stores.
func (m *machine) seed(messages []*Message, text JSON) error {
	if err := checkSeeds(messages); err != nil {
		return err
	}
	for _, msg := range messages {
		if err := m.store.Insert(msg); err != nil {
			return configError(fmt.Sprintf("seed message %q: %v", msg.ID, err), err)
		}
	}
	if text == nil {
		return nil
	}
	if !decode.Valid(text, m.lim.Depth) {
		return configError("the seed state is not JSON", nil)
	}
	if err := m.doc.Set(text); err != nil {
		return configError("seed state: "+err.Error(), err)
	}
	m.seeded = true
	return nil
}
