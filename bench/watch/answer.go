package watch

import (
	"context"
	"fmt"
	"strings"

	"github.com/aguistream/aguistream/decode"
	"github.com/aguistream/aguistream/engine"
	"github.com/aguistream/aguistream/state"
)

// ask has each interrupt answered, one by one.
func ask(ctx context.Context, interrupts []engine.Interrupt, answer func(context.Context, string) (string, error)) ([]engine.ResumeEntry, error) {
	var entries []engine.ResumeEntry
	for i := range interrupts {
		line, err := answer(ctx, prompt(&interrupts[i], i+1, len(interrupts)))
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry(interrupts[i].ID, line))
	}
	return entries, nil
}

func prompt(in *engine.Interrupt, n, of int) string {
	what := in.Message.Value
	if what == "" {
		what = in.Reason
	}
	which := "answer"
	if of > 1 {
		which = fmt.Sprintf("answer %d of %d", n, of)
	}
	return which + ", " + excerpt(what) + " (JSON or text; nothing or n declines):"
}

// entry reads a line as the answer: nothing, n or no declines; JSON is the payload; all else is text.
func entry(id, line string) engine.ResumeEntry {
	line = strings.TrimSpace(line)
	e := engine.ResumeEntry{InterruptID: id, Status: state.ResumeResolved}
	switch {
	case line == "" || strings.EqualFold(line, "n") || strings.EqualFold(line, "no"):
		e.Status = state.ResumeCancelled
	case line == "null": // the wire has no null there
	case decode.Valid([]byte(line), engine.DefaultDepth):
		e.Payload = engine.JSON(line)
	default:
		e.Payload = decode.AppendQuotedString(nil, line)
	}
	return e
}
