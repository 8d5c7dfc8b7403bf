package state

// docArray holds an array's items in one buffer with room at either end, so
// that both ends are cheap and the middle moves the shorter side:
//
//	buf: | room | items        | room |
//	            head           head+n
type docArray struct {
	buf  []*docNode
	head int
	n    int
	lent bool // buf is of a block
}

func (a *docArray) items() []*docNode { return a.buf[a.head : a.head+a.n] }

func (a *docArray) insert(p docRoom, i int, x *docNode) {
	if 2*i < a.n {
		if a.head == 0 {
			a.makeRoom(p, true)
		}
		copy(a.buf[a.head-1:], a.buf[a.head:a.head+i])
		a.head--
	} else {
		if a.head+a.n == len(a.buf) {
			a.makeRoom(p, false)
		}
		end := a.head + a.n
		copy(a.buf[a.head+i+1:end+1], a.buf[a.head+i:end])
	}
	a.buf[a.head+i] = x
	a.n++
}

func (a *docArray) remove(i int) {
	if 2*i < a.n {
		copy(a.buf[a.head+1:], a.buf[a.head:a.head+i])
		a.buf[a.head] = nil
		a.head++
	} else {
		end := a.head + a.n
		copy(a.buf[a.head+i:], a.buf[a.head+i+1:end])
		a.buf[end-1] = nil
	}
	if a.n--; a.n == 0 {
		a.head = 0
	}
}

// makeRoom makes room at one end. Items slide only when a quarter of the
// buffer is free: then the next slide is as far away as this one cost.
func (a *docArray) makeRoom(p docRoom, front bool) {
	spare := len(a.buf) - a.n
	if spare > 0 && 4*spare >= len(a.buf) {
		head := spare / 2
		if front {
			head = spare - head
		}
		old := a.head
		copy(a.buf[head:], a.buf[old:old+a.n])
		if head > old {
			clear(a.buf[old:min(head, old+a.n)])
		} else {
			clear(a.buf[max(head+a.n, old) : old+a.n])
		}
		a.head = head
		return
	}
	a.rebuffer(p, len(a.buf)+1, front)
}

func (a *docArray) rebuffer(p docRoom, want int, front bool) {
	buf, lent := p.takeList(docListCap(docListClass(want)))
	head := 0
	if front {
		head = (len(buf) - a.n + 1) / 2
	}
	copy(buf[head:], a.items())
	clear(a.items())
	a.giveBuf(p.Pool)
	a.buf, a.head, a.lent = buf, head, lent
}

func (a *docArray) giveBuf(p *Pool) {
	if !a.lent {
		p.giveList(a.buf)
	}
}

// tidy lets go of a buffer far larger than its content.
func (a *docArray) tidy(p docRoom) {
	if a.lent || len(a.buf) <= 8 || 4*a.n >= len(a.buf) {
		return
	}
	a.rebuffer(p, max(4, 2*a.n), false)
}
