package workload

import "bytes"

// Framing that another producer or a proxy might use. None changes what the stream means.
var frameMutations = []mutation{
	{"crlf", "lines end in CR LF; it means the same", func(p *patient) []byte {
		return bytes.ReplaceAll(normalLines(p.body), []byte("\n"), []byte("\r\n"))
	}},
	{"cr", "lines end in CR; it means the same", func(p *patient) []byte {
		return bytes.ReplaceAll(normalLines(p.body), []byte("\n"), []byte("\r"))
	}},
	{"no-space", "no space behind `data:`; it means the same", func(p *patient) []byte {
		return bytes.ReplaceAll(p.body, []byte("\ndata: {"), []byte("\ndata:{"))
	}},
	{"bom", "the body begins with a byte-order mark; it means the same", func(p *patient) []byte {
		return append(bytes.Clone(byteOrderMark), p.body...)
	}},
	{"comments", "keep-alive comments, ids, event names and retry lines; it means the same", func(p *patient) []byte {
		var out []byte
		at := 0
		for i, b := range p.blocks {
			if i > 0 && !p.r.oneIn(3) {
				continue
			}
			out = append(out, p.body[at:b.start]...)
			at = b.start
			out = append(out, pick(&p.r, []string{
				": ping\n\n", ":\n\n", ":\n", "id: " + number(i) + "\n", "event: message\n", "retry: 3000\n\n", "event: heartbeat\n\n", "unknown: field\n", "x\n",
			})...)
		}
		return append(out, p.body[at:]...)
	}},
	{"multi-line-data", "events spread over several data lines; it means the same", func(p *patient) []byte {
		var out []byte
		at := 0
		for i, b := range p.blocks {
			ev := p.event(i)
			if len(ev.members) < 2 || i > 0 && !p.r.oneIn(4) {
				continue
			}
			out = append(out, p.body[at:b.start]...)
			at = b.end
			for k, m := range ev.members {
				lead := "data: ,"
				if k == 0 {
					lead = "data: {"
				}
				out = appendQuoted(append(out, lead...), m.name, styleRaw)
				out = append(append(append(out, ':'), m.value...), '\n')
			}
			out = append(out, "data: }\n\n"...)
		}
		return append(out, p.body[at:]...)
	}},
}

func normalLines(body []byte) []byte {
	body = bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(body, []byte("\r"), []byte("\n"))
}
