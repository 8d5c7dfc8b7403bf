package watch

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/aguistream/aguistream/bench"
	"github.com/aguistream/aguistream/engine"
	"github.com/aguistream/aguistream/state"
)

// FileOptions shape File. The zero value reads as fast as it goes, by the Loud rule set.
type FileOptions struct {
	Input   bench.InputKind
	Rules   engine.Rules
	Send    string // a user message to push first, when HasSend
	HasSend bool
	Pace    float64 // events a second; 0: as fast as it goes
}

// File shows a recorded body, all runs in it. A context that ends stops it, which is no error.
func File(ctx context.Context, v *View, r io.Reader, opt FileOptions) error {
	in, err := bench.OpenInput(&stoppable{ctx: ctx, r: r}, opt.Input)
	if ctx.Err() != nil {
		v.Stop()
		return v.Err()
	}
	if err != nil {
		return err
	}
	o := engine.StreamOptions{Rules: opt.Rules, Warn: v.Warn}
	if err := in.Seed(&o); err != nil {
		return err
	}
	if opt.HasSend {
		o.Messages = append(o.Messages, state.UserMessage(freeID(o.Messages), opt.Send))
	}
	stream, err := engine.NewStream(v, o)
	if err != nil {
		return err
	}
	stop := v.Live()
	defer stop()
	if opt.HasSend {
		v.Said(opt.Send)
	}
	broken := feed(ctx, in.Body, opt.Pace, func(p []byte) bool {
		_, closed := stream.Write(p) // what closed it has been shown
		return closed == nil && v.Err() == nil
	})
	if ctx.Err() != nil {
		v.Stop()
		return v.Err()
	}
	_ = stream.CloseWithError(broken) // on the caller's goroutine it has no error to tell
	return errors.Join(broken, v.Close())
}

// freeID counts user-1, user-2 and so on, past ids in use.
func freeID(held []*engine.Message) string {
	used := map[string]bool{}
	for _, m := range held {
		used[m.ID] = true
	}
	for n := 1; ; n++ {
		if id := fmt.Sprintf("user-%d", n); !used[id] {
			return id
		}
	}
}

// AgentOptions shape Agent.
type AgentOptions struct {
	ThreadID string
	Rules    engine.Rules
	Send     string // what is asked, when HasSend; else the agent runs on an empty conversation
	HasSend  bool
	// Answer asks a person for the answer to an interrupt and returns the line typed; its error ends the watching
	// without an answer. Nil: interrupts are shown and left unanswered.
	Answer func(ctx context.Context, prompt string) (string, error)
}

// Agent runs an agent and shows the run, and the ones that answers to its interrupts lead to. A context that ends
// stops it, which is no error; a run that could not be made or read is one, after it has been shown.
func Agent(ctx context.Context, v *View, t engine.Transport, opt AgentOptions) error {
	s := engine.NewSession[engine.Raw](t, opt.ThreadID, engine.WithRules(opt.Rules), engine.WithWarnings(v.Warn))
	run := s.Run(ctx)
	if opt.HasSend {
		v.Said(opt.Send)
		run = s.Send(ctx, opt.Send)
	}
	for {
		end := show(v, run)
		switch {
		case ctx.Err() != nil:
			v.Stop()
			return v.Err()
		case v.Err() != nil:
			return v.Err()
		case opt.Answer == nil || len(s.Interrupts()) == 0 || !asksAgain(end):
			return errors.Join(fault(end), v.Close())
		}
		answers, err := ask(ctx, s.Interrupts(), opt.Answer)
		v.answered(err == nil)
		if err != nil {
			v.Note("left unanswered")
			return v.Close()
		}
		run = s.ResumeMany(ctx, answers)
	}
}

// show shows one run. The end is the zero value when the run was stopped.
func show(v *View, run func(func(engine.Update) bool)) (end engine.RunEnd) {
	stop := v.Live()
	defer stop()
	for u := range run {
		v.Update(u)
		if done, ok := u.(*engine.Done); ok {
			end = engine.RunEnd{Kind: done.End.Kind, Err: done.End.Err}
		}
		if v.Err() != nil {
			return end
		}
	}
	return end
}

// asksAgain says whether interrupts are still to be answered: also when the answers given could not be sent, since one
// was too late, say.
func asksAgain(end engine.RunEnd) bool {
	return end.Kind == engine.Interrupted || end.Err != nil && end.Err.Kind == engine.KindConfig
}

// fault is what kept a run from being made or read.
func fault(end engine.RunEnd) error {
	if end.Err == nil {
		return nil
	}
	switch end.Err.Kind {
	case engine.KindConfig:
		return errors.New("the run could not be asked for")
	case engine.KindHTTP, engine.KindTransport:
		return errors.New("the run could not be read")
	}
	return nil
}
