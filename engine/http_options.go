package engine

import (
	"context"
	"net/http"
	"time"
)

// HTTPOption sets one thing of an HTTP transport.
type HTTPOption func(*HTTPTransport)

// HTTPLimits bound the waiting for a server, never how long a stream lasts. Zero means the default, a negative value
// no limit. Crossing one is a KindTransport error of that run alone.
type HTTPLimits struct {
	Dial   time.Duration // until the connection stands, each address tried counted; default 10 s
	TLS    time.Duration // for the TLS handshake; default 10 s
	Header time.Duration // from the request's last byte to the answer's header; default 60 s
	// Idle bounds silence: how long one read may wait. Any byte ends it, so a comment sent to keep a stream alive
	// does; time that the reader itself takes (a full mailbox, a slow loop) doesn't count. It is watched in steps of
	// an eighth, so it is noticed up to a quarter late. Default 5 min.
	Idle time.Duration
}

// Defaults of HTTPLimits.
const (
	DefaultDialLimit   = 10 * time.Second
	DefaultTLSLimit    = 10 * time.Second
	DefaultHeaderLimit = 60 * time.Second
	DefaultIdleLimit   = 5 * time.Minute
)

func (l HTTPLimits) withDefaults() HTTPLimits {
	limit := func(d, def time.Duration) time.Duration {
		switch {
		case d == 0:
			return def
		case d < 0:
			return 0
		}
		return d
	}
	return HTTPLimits{
		Dial: limit(l.Dial, DefaultDialLimit), TLS: limit(l.TLS, DefaultTLSLimit),
		Header: limit(l.Header, DefaultHeaderLimit), Idle: limit(l.Idle, DefaultIdleLimit),
	}
}

// WithHTTPLimits bounds the waiting. With a client of the caller's (WithHTTPClient) Dial, TLS and Header are that
// client's own affair; Idle holds there too, and for the wait for the header as well.
func WithHTTPLimits(l HTTPLimits) HTTPOption { return func(t *HTTPTransport) { t.limits = l } }

// WithHeader adds a header to every request: credentials, say. It may replace Accept-Encoding ("identity" asks for an
// uncompressed stream) and User-Agent; Content-Type and Accept are the protocol's. Whatever is set here or by
// WithHeaderFunc stays with the first host: a redirect to another one goes without.
func WithHeader(key, value string) HTTPOption {
	return func(t *HTTPTransport) { t.header.Add(key, value) }
}

// WithHeaderFunc has f set headers of each request, after those of WithHeader: a token that expires, say. Its error
// has the request refused with a KindConfig error, before anything is sent. It is called by the goroutine of the run,
// so for several runs at one time.
func WithHeaderFunc(f func(ctx context.Context, in *RunAgentInput, header http.Header) error) HTTPOption {
	return func(t *HTTPTransport) { t.headerFuncs = append(t.headerFuncs, f) }
}

// WithHTTPClient makes the requests with the caller's client, taken as it is: its round tripper, cookies, and Timeout,
// which bounds the whole of a stream and so is best left zero. Its CheckRedirect decides on redirects, if it has one,
// but only after the headers of WithHeader and WithHeaderFunc are off a request that leaves their host.
func WithHTTPClient(c *http.Client) HTTPOption { return func(t *HTTPTransport) { t.own = c } }

// WithoutProtocolVersion leaves protocolVersion out of the requests, for a server known to predate the field.
func WithoutProtocolVersion() HTTPOption { return func(t *HTTPTransport) { t.unversioned = true } }
