package plain

// handle takes one event that check has let through: what is left of the
// enforcement (the insides of payloads), the phase of the run, the chunk
// streams that it closes, and then its own rule.
func (p *Pipeline) handle(e *event) {
	w := p.wire
	pc := &p.piece
	*pc = piece{typ: e.name, wire: e, tag: lentOf(w.SubagentRunID), metadata: w.Metadata}
	switch e.name {
	case "TEXT_MESSAGE_START":
		pc.name = lentOf(w.Name)
		if p.textRole(pc) {
			p.item(textItem, pc, p.start)
		}
	case "TEXT_MESSAGE_CONTENT":
		p.item(textItem, pc, p.content)
	case "TEXT_MESSAGE_END":
		p.item(textItem, pc, p.explicitEnd)
	case "TEXT_MESSAGE_CHUNK":
		pc.name = lentOf(w.Name)
		if p.textRole(pc) {
			p.chunk(textItem, pc)
		}
	case "TOOL_CALL_START":
		pc.tool, pc.parent = lentOf(w.ToolCallName), lentOf(w.ParentMessageID)
		p.item(toolItem, pc, p.start)
	case "TOOL_CALL_ARGS":
		p.item(toolItem, pc, p.content)
	case "TOOL_CALL_END":
		p.item(toolItem, pc, p.explicitEnd)
	case "TOOL_CALL_CHUNK":
		pc.tool, pc.parent = lentOf(w.ToolCallName), lentOf(w.ParentMessageID)
		p.chunk(toolItem, pc)
	case "REASONING_MESSAGE_START":
		if pc.role = lentOf(w.Role); string(pc.role.b) != reasoningRole {
			p.malformed(&malformed{"role", `is not "reasoning"`})
			return
		}
		p.item(thoughtItem, pc, p.start)
	case "REASONING_MESSAGE_CONTENT":
		p.item(thoughtItem, pc, p.content)
	case "REASONING_MESSAGE_END":
		p.item(thoughtItem, pc, p.explicitEnd)
	case "REASONING_MESSAGE_CHUNK":
		p.chunk(thoughtItem, pc)
	case "REASONING_START":
		pc.id = lentOf(w.MessageID)
		p.spanStart(pc)
	case "REASONING_END":
		pc.id = lentOf(w.MessageID)
		p.spanEnd(pc)
	case "REASONING_ENCRYPTED_VALUE":
		p.encryptedValue(pc)
	case "THINKING_START", "THINKING_END", "THINKING_TEXT_MESSAGE_START", "THINKING_TEXT_MESSAGE_CONTENT", "THINKING_TEXT_MESSAGE_END":
		p.translate(pc)
	case "TOOL_CALL_RESULT":
		p.toolResult(pc)
	case "STATE_SNAPSHOT":
		p.stateSnapshot(pc)
	case "STATE_DELTA":
		p.stateDelta(pc)
	case "MESSAGES_SNAPSHOT":
		p.messagesSnapshot(pc)
	case "ACTIVITY_SNAPSHOT":
		p.activitySnapshot(pc)
	case "ACTIVITY_DELTA":
		p.activityDelta(pc)
	case "RAW":
		if p.phase() {
			p.accept(pc)
		}
	case "CUSTOM":
		if p.phase() {
			p.closeLane(pc.tag)
			p.accept(pc)
		}
	case "STEP_STARTED", "STEP_FINISHED":
		p.step(pc)
	case "SUBAGENT_STARTED":
		p.subagentStarted(pc)
	case "SUBAGENT_FINISHED":
		p.subagentFinished(pc)
	case "SUBAGENT_ERROR":
		p.subagentFailed(pc)
	case "RUN_STARTED":
		p.runStarted(pc)
	case "RUN_FINISHED":
		p.runFinished(pc)
	case "RUN_ERROR":
		p.runError(pc)
	}
}

// phase tells whether a run is open, which every event needs but those that
// begin or end one.
func (p *Pipeline) phase() bool {
	if p.inRun || p.runs == 0 && p.opts.NoVerify {
		return true
	}
	if p.runs == 0 {
		p.violate("the first event must be RUN_STARTED")
		return false
	}
	p.violate("the run has finished; only RUN_STARTED may follow")
	return false
}

// textRole reads the role of a text message. An unknown one is stripped in
// Spec and fatal in Loud.
func (p *Pipeline) textRole(pc *piece) bool {
	pc.role = lentOf(p.wire.Role)
	switch string(pc.role.b) {
	case "developer", "system", "assistant", "user":
		return true
	}
	if !pc.role.ok {
		return true
	}
	if !p.opts.Spec {
		p.malformed(&malformed{"role", "is unknown: " + string(pc.role.b)})
		return false
	}
	p.warn("/role", "unknown role %s, removed", pc.role.b)
	pc.role = lent{}
	p.wire.drop(bitRole)
	return true
}

// item handles an explicit event of a streamed item.
func (p *Pipeline) item(kind int, pc *piece, rule func(int, *piece)) {
	if !p.phase() {
		return
	}
	pc.id = lentOf(p.wire.MessageID)
	if kind == toolItem {
		pc.id = lentOf(p.wire.ToolCallID)
	}
	if d := p.wire.Delta; len(d) > 0 {
		pc.delta = d
	}
	if len(p.run.lanes) > 0 {
		p.closeLane(p.owner(kind, pc).lent())
	}
	rule(kind, pc)
}
