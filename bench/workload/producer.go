package workload

import (
	"encoding/hex"
	"strconv"
)

// Producer is a way of writing that is seen in the field: how strings are escaped, what ids look
// like, whether events carry a timestamp.
type Producer uint8

// Producers seen in the field.
const (
	AnyProducer   Producer = iota // drawn from the seed
	RawProducer                   // UTF-8 as it is, UUIDs or other random ids: the TypeScript encoder
	ASCIIProducer                 // all beyond ASCII as \uXXXX, ids of an upstream model: json.dumps
	HTMLProducer                  // < > & as \u003c and so on, timestamps, counted ids: encoding/json
	SlashProducer                 // \uXXXX and \/, random ids: json_encode
	numProducers
)

// String is the producer's name.
func (p Producer) String() string {
	return [...]string{"any", "raw", "ascii", "html", "slash"}[p]
}

// producerShares are out of 100: raw UTF-8 is what most encoders write, and about a third escape more
// than they must.
var producerShares = [...]struct {
	producer Producer
	share    int
}{{RawProducer, 60}, {ASCIIProducer, 22}, {HTMLProducer, 13}, {SlashProducer, 5}}

func drawProducer(r *source) Producer {
	n := r.intn(100)
	for _, s := range producerShares {
		if n < s.share {
			return s.producer
		}
		n -= s.share
	}
	return RawProducer
}

func (p Producer) style() style {
	switch p {
	case ASCIIProducer:
		return styleASCII
	case HTMLProducer:
		return styleHTML
	case SlashProducer:
		return styleSlash
	}
	return styleRaw
}

// newID mints an id that the stream has not used: ids are what makes a delta find its message, so
// their length and likeness matter to whoever is measured.
func (s *stream) newID(kind string) string {
	s.minted++
	switch s.producer {
	case HTMLProducer:
		return kind + "-" + strconv.Itoa(s.minted)
	case ASCIIProducer:
		// The counter in front keeps ids apart whatever the bits say.
		var raw [10]byte
		s.fill(raw[:])
		return kind + "_" + strconv.FormatInt(int64(0x1000+s.minted), 16) + hex.EncodeToString(raw[:])
	}
	if s.short {
		var raw [22]byte
		s.fill(raw[:])
		for i, c := range raw {
			raw[i] = base64Digits[c%62]
		}
		return kind + "_" + string(raw[:])
	}
	var raw [16]byte
	s.fill(raw[:])
	raw[6] = raw[6]&0x0f | 0x40
	raw[8] = raw[8]&0x3f | 0x80
	var b [36]byte
	hex.Encode(b[:8], raw[:4])
	hex.Encode(b[9:13], raw[4:6])
	hex.Encode(b[14:18], raw[6:8])
	hex.Encode(b[19:23], raw[8:10])
	hex.Encode(b[24:], raw[10:])
	b[8], b[13], b[18], b[23] = '-', '-', '-', '-'
	return string(b[:])
}

func (s *stream) fill(dst []byte) {
	for i := range dst {
		if i%8 == 0 {
			s.bits = s.r.next()
		}
		dst[i] = byte(s.bits)
		s.bits >>= 8
	}
}
