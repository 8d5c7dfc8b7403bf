package watch

import (
	"io"
	"sync"
	"time"

	"github.com/aguistream/aguistream/engine"
)

// Options shape a View. The zero value, with Out, prints plain text: blocks whole, without colour, as wide as they come.
type Options struct {
	Out io.Writer
	// Size gives the terminal's columns and rows; nil when Out is none. It is asked again for each frame, so a window
	// may change its size at any time.
	Size func() (columns, rows int)
	// Color allows colours and weights.
	Color bool
	// InOrder prints what comes as it comes, and never draws again.
	InOrder bool
}

// View shows updates to a person. Its methods may be called from several goroutines, the updates from one at a time.
// It is an engine.Handler.
type View struct {
	mu      sync.Mutex
	opt     Options
	screen  screen
	mem     *memory
	grouped *grouped
	inOrder *inOrder
	dirty   bool
	live    bool // frames are drawn by a clock
	asking  bool // the cursor stands behind a question
	columns int  // at the last frame
	rows    int
}

// NewView makes a View.
func NewView(opt Options) *View {
	v := &View{opt: opt, screen: screen{w: opt.Out, color: opt.Color}, mem: newMemory()}
	if opt.InOrder {
		v.inOrder = newInOrder(v.mem, &v.screen, v.usable)
		return v
	}
	v.grouped = newGrouped(v.mem, v.usable)
	return v
}

// usable is how many columns are written to; 0 is no limit. The last column stays empty: a cursor behind it is where
// terminals differ.
func (v *View) usable() int {
	columns, _ := v.size()
	if columns < narrowest {
		return 0
	}
	return columns - 1
}

func (v *View) size() (columns, rows int) {
	if v.opt.Size == nil {
		return 0, 0
	}
	return v.opt.Size()
}

// HandleUpdate shows an update.
func (v *View) HandleUpdate(_ *engine.Stream, u engine.Update) { v.Update(u) }

// Update shows an update.
func (v *View) Update(u engine.Update) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.inOrder != nil {
		v.inOrder.update(u)
		return
	}
	v.grouped.update(u)
	v.changed()
}

// Warn shows a warning.
func (v *View) Warn(w engine.Warning) { v.put(warningNote(w)) }

// Said shows what the user says.
func (v *View) Said(text string) {
	b := note(span{userStyle, "you"})
	b.add("", plain, text)
	v.mu.Lock()
	v.mem.said = append(v.mem.said, text)
	v.mu.Unlock()
	v.put(b)
}

// Note shows a line that is the program's own.
func (v *View) Note(text string) { v.put(note(span{warnStyle, label(text)})) }

// Ask puts a question where the answer is typed, right behind it.
func (v *View) Ask(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.draw()
	v.screen.buf = row{{askStyle, label(text)}}.append(v.screen.buf[:0], v.opt.Color)
	v.screen.buf = append(v.screen.buf, ' ')
	v.screen.write()
	v.asking = true
}

// answered tells whether the question got an answer: then the cursor is on a new line.
func (v *View) answered(did bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.asking && !did {
		v.screen.buf = append(v.screen.buf[:0], '\n')
		v.screen.write()
	}
	v.asking = false
}

func (v *View) put(b *block) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.inOrder != nil {
		v.inOrder.note(b)
		return
	}
	v.grouped.note(b)
	v.changed()
}

// Stop is Close for what was cut short by the reader: it says so.
func (v *View) Stop() {
	_ = v.Close()
	v.Note("stopped")
}

// Close shows all that is still open, as it stands, and tells whether all could be written.
func (v *View) Close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.inOrder != nil {
		v.inOrder.close()
		return v.screen.err
	}
	v.grouped.closeAll("when it was stopped")
	v.grouped.settle()
	v.draw()
	return v.screen.err
}

// Err is the first error that writing met.
func (v *View) Err() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.screen.err
}

// drawEvery is often enough to look alive; what comes faster shares a frame.
const drawEvery = 33 * time.Millisecond

// Live draws by a clock instead of at each update, until the function that it returns is called. It does nothing where
// nothing is drawn again.
func (v *View) Live() (stop func()) {
	if v.inOrder != nil || v.opt.Size == nil {
		return func() {}
	}
	v.mu.Lock()
	v.live = true
	v.mu.Unlock()
	halt, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(drawEvery)
		defer tick.Stop()
		for {
			select {
			case <-halt:
				return
			case <-tick.C:
				v.tick()
			}
		}
	}()
	return func() {
		close(halt)
		<-gone
		v.mu.Lock()
		defer v.mu.Unlock()
		v.live = false
		v.draw()
	}
}

// Pause shows nothing while stop runs, which returns when the program goes on after it was stopped. Others have written
// below the region by then, so it is left where it is and drawn anew.
func (v *View) Pause(stop func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	stop()
	v.screen.drawn = v.screen.drawn[:0]
	v.dirty = true
}

func (v *View) tick() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if columns, rows := v.size(); v.dirty || columns != v.columns || rows != v.rows {
		v.draw()
	}
}

func (v *View) changed() {
	v.dirty = true
	if !v.live {
		v.draw()
	}
}

// draw brings the screen up to date.
func (v *View) draw() {
	if v.grouped == nil {
		return
	}
	v.dirty = false
	columns, rows := v.size()
	if columns == 0 {
		v.screen.print(v.grouped.ready)
		v.grouped.ready = v.grouped.ready[:0]
		return
	}
	var region []row
	if columns >= narrowest {
		region = v.grouped.region(v.usable(), rows-1)
	}
	v.screen.frame(v.grouped.ready, region, columns)
	v.columns, v.rows = columns, rows
	v.grouped.ready = v.grouped.ready[:0]
}
