package state

// freeList is what nobody uses for now, a stack. It remembers how low it fell
// during an epoch: what lay unused all the while is more than is needed.
type freeList[T any] struct {
	items []T
	low   int // fewest items since the epoch began
}

func (f *freeList[T]) get() (x T, ok bool) {
	last := len(f.items) - 1
	if last < 0 {
		return x, false
	}
	var zero T
	x, f.items[last] = f.items[last], zero
	f.items = f.items[:last]
	f.low = min(f.low, last)
	return x, true
}

func (f *freeList[T]) put(x T) { f.items = append(f.items, x) }

// trim drops half of what lay unused during the epoch and says how many bytes
// that were, where bytes tells.
func (f *freeList[T]) trim(bytes func(T) int) int {
	drop, dropped := f.low/2, 0
	if f.low == 1 {
		drop = 1
	}
	if drop > 0 {
		if bytes != nil {
			for _, x := range f.items[:drop] {
				dropped += bytes(x)
			}
		}
		keep := copy(f.items, f.items[drop:])
		clear(f.items[keep:])
		f.items = f.items[:keep]
		if cap(f.items) > 64 && keep < cap(f.items)/4 {
			f.items = append(make([]T, 0, 2*keep), f.items...)
		}
	}
	f.low = len(f.items)
	return dropped
}

// shed lets a list go whose room is more than is kept.
func shed[T any](list []T, kept int) []T {
	if cap(list) > kept {
		return nil
	}
	return list
}
