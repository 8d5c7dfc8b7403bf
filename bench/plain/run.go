package plain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// run is what the rules keep of the run that is open.
type run struct {
	open          [3]map[string]*item // by kind
	spans         map[string]opt      // open reasoning spans and whose they are
	owed          map[string]bool     // thoughts whose Ended is still to be told
	steps         map[step]bool
	subagents     map[string]bool // announced in this run; true while active
	messageOwners map[string]opt  // owners settled in this run
	callOwners    map[string]opt
	tagged        map[string]bool // subagentRunIds that events were attributed to
	calls         []string        // started in this run, in order
	called        map[string]bool
	answered      map[string]bool
	lanes         []*lane
}

type step struct {
	owner opt
	name  string
}

func (r *run) reset() {
	*r = run{
		open:          [3]map[string]*item{{}, {}, {}},
		spans:         map[string]opt{},
		owed:          map[string]bool{},
		steps:         map[step]bool{},
		subagents:     map[string]bool{},
		messageOwners: map[string]opt{},
		callOwners:    map[string]opt{},
		tagged:        map[string]bool{},
		called:        map[string]bool{},
		answered:      map[string]bool{},
	}
}

func (r *run) owners(kind int) map[string]opt {
	if kind == toolItem {
		return r.callOwners
	}
	return r.messageOwners
}

// unfinished names what is open.
func (r *run) unfinished() string {
	var list []string
	for kind, items := range r.open {
		for id := range items {
			list = append(list, itemEvents[kind].noun+" "+id)
		}
	}
	for id := range r.spans {
		list = append(list, "reasoning span "+id)
	}
	for s := range r.steps {
		list = append(list, "step "+s.name)
	}
	for id, active := range r.subagents {
		if active {
			list = append(list, "subagent "+id)
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// pending gives the calls that were started and not answered.
func (r *run) pending() []string {
	var list []string
	for _, id := range r.calls {
		if !r.answered[id] {
			list = append(list, id)
		}
	}
	return list
}

func (p *Pipeline) runStarted(pc *piece) {
	w := p.wire
	var input map[string]any
	if len(w.Input) > 0 && (p.opts.Spec || p.opts.AdoptInput) {
		tree, _, err := p.enforced(bitInput, inputShape)
		if err != nil {
			p.malformed(err)
			return
		}
		input = tree.(map[string]any)
	}
	p.closeLanes()
	if p.inRun && !p.opts.NoVerify {
		p.violate("RUN_STARTED while a run is open")
		return
	}
	p.accept(pc)
	threadID := string(unquote(w.ThreadID))
	if p.threadSeen && p.threadID != threadID {
		p.warn("/threadId", "the run is on thread %s, the one before it was on %s", threadID, p.threadID)
	}
	if len(w.ProtocolVersion) > 0 {
		p.version(string(unquote(w.ProtocolVersion)))
	}
	p.threadID, p.runID, p.threadSeen = threadID, string(unquote(w.RunID)), true
	p.run.reset()
	p.inRun, p.lateable, p.interrupts = true, false, nil
	p.thinking.block, p.thinking.text = "", ""
	if p.opts.AdoptInput && input != nil {
		p.adopt(input)
	}
}

const ownMajor, ownMinor = 1, 1

// version warns of a producer that is newer, or whose version can't be read.
func (p *Pipeline) version(v string) {
	major, minor, ok := strings.Cut(v, ".")
	x, err1 := strconv.ParseUint(major, 10, 63)
	y, err2 := strconv.ParseUint(minor, 10, 63)
	if !ok || err1 != nil || err2 != nil {
		p.warn("/protocolVersion", "protocol version %q can't be read; this build speaks 1.1", v)
		return
	}
	if x > ownMajor || x == ownMajor && y > ownMinor {
		p.warn("/protocolVersion", "protocol version %s is newer than 1.1", v)
	}
}

// adopt takes over what RUN_STARTED echoes of the request.
func (p *Pipeline) adopt(input map[string]any) {
	added := false
	for _, v := range input["messages"].([]any) {
		m := newMessage(v.(map[string]any))
		if p.store.byID[m.id] != nil {
			continue
		}
		if p.hold(m) == nil {
			return
		}
		added = true
	}
	if added {
		p.tellMessages()
	}
	if state, ok := input["state"]; ok && !p.stateSet {
		p.setState(appendJSON(nil, state))
	}
}

func (p *Pipeline) runFinished(pc *piece) {
	w := p.wire
	var outcome, usage any
	if len(w.Outcome) > 0 {
		tree, known, err := p.enforced(bitOutcome, runOutcome)
		if err != nil {
			p.malformed(err)
			return
		}
		if !known {
			p.warn("/outcome", "unknown outcome, removed")
			p.wire.drop(bitOutcome)
		}
		outcome = tree
	}
	usage, ok := p.usage()
	if !ok {
		return
	}
	p.closeLanes()
	if !p.inRun && (p.runs > 0 || !p.opts.NoVerify) {
		p.phase()
		return
	}
	if open := p.run.unfinished(); open != "" && !p.opts.NoVerify {
		p.violate("RUN_FINISHED while open: %s", open)
		if p.stopped {
			return
		}
	}
	p.finish(pc, ending{outcome: outcome, usage: usage, result: w.Result})
}

// usage enforces the token usage of a terminal event.
func (p *Pipeline) usage() (any, bool) {
	if len(p.wire.Usage) == 0 {
		return nil, true
	}
	tree, _, err := p.enforced(bitUsage, usageShape)
	if err != nil {
		p.malformed(err)
		return nil, false
	}
	return tree, true
}

func (p *Pipeline) finish(pc *piece, e ending) {
	outcome, _ := e.outcome.(map[string]any)
	e.end = "success"
	switch outcome["type"] {
	case "cancelled":
		e.end = "cancelled"
	case "interrupt":
		e.end = "interrupted"
		if e.interrupts = p.distinct(outcome["interrupts"].([]any)); p.stopped {
			return
		}
	}
	p.accept(pc)
	if p.inRun {
		p.identity("/threadId", p.threadID, string(unquote(p.wire.ThreadID)))
		p.identity("/runId", p.runID, string(unquote(p.wire.RunID)))
	}
	if e.end == "success" {
		e.pending = p.run.pending()
		p.comparePending(e.pending, outcome)
	}
	for _, interrupt := range e.interrupts {
		p.tellInterrupt(interrupt)
	}
	p.interrupts = e.interrupts
	p.done(e)
	p.lateable = true
}

func (p *Pipeline) identity(path, started, finished string) {
	if started != finished {
		p.warn(path, "the run started as %s and finished as %s", started, finished)
	}
}

// distinct keeps the first of interrupts with one id.
func (p *Pipeline) distinct(list []any) []any {
	if p.opts.NoVerify {
		return list
	}
	seen := map[string]bool{}
	var kept []any
	twice := ""
	for _, v := range list {
		id := v.(map[string]any)["id"].(string)
		if seen[id] {
			twice = id
			continue
		}
		seen[id] = true
		kept = append(kept, v)
	}
	if len(kept) < len(list) {
		p.violate("two interrupts have the id %s", twice)
	}
	return kept
}

// comparePending warns when an outcome lists other pending calls than those
// that the stream left unanswered.
func (p *Pipeline) comparePending(pending []string, outcome map[string]any) {
	list, _ := outcome["pendingToolCallIds"].([]any)
	if len(list) == 0 {
		return
	}
	sent := make([]string, len(list))
	for i, id := range list {
		sent[i] = id.(string)
	}
	if got, want := slices.Sorted(slices.Values(sent)), slices.Sorted(slices.Values(pending)); !slices.Equal(got, want) {
		p.warn("/outcome/pendingToolCallIds", "the outcome lists %q, the stream left %q", sent, pending)
	}
}

func (p *Pipeline) runError(pc *piece) {
	usage, ok := p.usage()
	if !ok {
		return
	}
	p.closeLanes()
	if !p.inRun && p.runs > 0 && !p.lateable {
		p.phase()
		return
	}
	message, code := string(unquote(p.wire.Message)), lentOf(p.wire.Code).opt()
	late := p.lateable
	p.accept(pc)
	p.lateable = false
	p.failRun(message, code, late)
	if !late {
		p.done(ending{end: "failed", message: opt{message, true}, code: code, usage: usage})
	}
}

// ending is how a run ended.
type ending struct {
	end        string
	outcome    any
	result     []byte
	pending    []string
	interrupts []any
	message    opt
	code       opt
	usage      any
}

// done ends the run. Halves of characters that still wait are made good
// without an update, since nothing ends here.
func (p *Pipeline) done(e ending) {
	for _, m := range p.store.conversation {
		m.text.flush()
		for _, c := range m.calls {
			c.arguments.flush()
		}
	}
	p.run.lanes = nil
	p.inRun, p.lateable = false, false
	p.runs++
	p.tellDone(e)
	if p.opts.StopAtDone {
		p.stopped = true
	}
}

func (p *Pipeline) step(pc *piece) {
	if !p.phase() {
		return
	}
	p.closeLane(pc.tag)
	s := step{pc.tag.opt(), string(unquote(p.wire.StepName))}
	started := pc.typ == "STEP_STARTED"
	if !p.opts.NoVerify {
		if started == p.run.steps[s] {
			p.violate("step %s %s", s.name, map[bool]string{true: "has been started already", false: "was not started"}[started])
			return
		}
		if delete(p.run.steps, s); started {
			p.run.steps[s] = true
		}
	}
	p.accept(pc)
}

func (p *Pipeline) failRun(message string, code opt, late bool) {
	p.tellError(errorInfo{kind: "run", message: fmt.Sprintf("run failed: %s", message), code: code, late: late})
}

func (p *Pipeline) fail(kind, text string) {
	p.tellError(errorInfo{kind: kind, message: text})
}
