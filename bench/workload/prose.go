package workload

// prose writes model output token by token: sentences, paragraphs, lists, code blocks, the odd emoji.
type prose struct {
	style style
	voice *voice
	mode  mode
	left  int // tokens until the mode's next turn
	joint []byte
}

type mode uint8

const (
	atStart mode = iota // a sentence begins
	inWords
	atBreak  // a sentence has ended
	atTongue // a fence has opened
	inCode
	atClose // a code block ends
)

func newProse(st style) prose { return prose{style: st, voice: &voices[0]} }

// begin starts another text in a voice of its own.
func (p *prose) begin(r *source) {
	p.voice = drawVoice(r)
	p.mode = atStart
}

// next is the next delta, escaped. It is lent until the next call.
func (p *prose) next(r *source) []byte {
	// Most adapters pass tokens on one by one; some batch what arrived together.
	if !r.oneIn(12) {
		return p.token(r)
	}
	p.joint = p.joint[:0]
	for range r.between(2, 4) {
		p.joint = append(p.joint, p.token(r)...)
	}
	return p.joint
}

// phrase is n tokens in one piece. It is lent until the next call.
func (p *prose) phrase(r *source, n int) []byte {
	p.begin(r)
	p.joint = p.joint[:0]
	for range n {
		p.joint = append(p.joint, p.token(r)...)
	}
	return p.joint
}

func (p *prose) token(r *source) []byte {
	switch p.mode {
	case atStart:
		p.mode, p.left = inWords, r.between(3, 14)
		return pick(r, p.voice.first)[p.style]
	case inWords:
		return p.word(r)
	case atBreak:
		return p.turn(r)
	case atTongue:
		p.mode, p.left = inCode, r.between(8, 40)
		return pick(r, tongues)[p.style]
	case inCode:
		p.left--
		if p.left == 0 {
			p.mode = atClose
			return bullets[0][p.style][:2] // the escaped newline in front of the fence
		}
		return code[r.skewed(len(code))][p.style]
	}
	p.mode = atBreak
	return fence[p.style]
}

func (p *prose) word(r *source) []byte {
	p.left--
	if p.left > 0 {
		if p.voice.tails != nil && r.oneIn(9) {
			return pick(r, p.voice.tails)[p.style]
		}
		return p.voice.words[r.skewed(len(p.voice.words))][p.style]
	}
	if r.oneIn(3) {
		p.mode = atBreak
		return p.voice.stops[0][p.style]
	}
	p.left = r.between(2, 9)
	return pick(r, p.voice.stops)[p.style]
}

func (p *prose) turn(r *source) []byte {
	p.mode = atStart
	switch r.intn(20) {
	case 0:
		p.mode = atTongue
		return fence[p.style]
	case 1, 2, 3:
		return pick(r, bullets)[p.style]
	case 4:
		p.mode = atBreak
		return pick(r, emoji)[p.style]
	}
	return pick(r, p.voice.breaks)[p.style]
}
