package engine

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
)

const (
	eventStream = "text/event-stream"
	// errorBodyBytes is what an error keeps of an answer's body (semantics, section 5), errorBodyWait how long a run
	// waits for it.
	errorBodyBytes = 2 << 10
	errorBodyWait  = 5 * time.Second
	// streamBuffer is what HTTP/2 may hold of a stream whose reader is behind, before the sender has to wait.
	streamBuffer = 256 << 10
)

// HTTPTransport asks an agent over HTTP (protocol, section 8): a POST of the input as JSON, answered by an event stream.
// It may be used from many goroutines at once, and keeps connections for the next request when a stream ended cleanly.
//
// An answer that is no 2xx event stream is a KindHTTP error with the status and the first 2 KiB of the body. The content
// type is compared without its parameters and without case. Bodies in gzip and deflate are decoded as they come: what the
// server flushed is seen at once. What can't be read to its end (a reset, a corrupt body, an HTTP body that is cut short)
// is a KindTransport error; only where the end of the connection is the end of the body (HTTP/1.0) a cut is a truncated
// run instead.
//
// Cancelling the context closes the connection at once (over HTTP/2: resets the stream), whatever the request waits for.
//
// Redirects by 307 and 308 are followed, at most 10, with the body sent again; from https to http never. One by 301, 302
// or 303 would turn the request into a GET, so it is not followed and gives a KindHTTP error. Headers that the options
// set, Authorization and Cookie among them, are dropped for good as soon as a redirect leads to another scheme, host or
// port.
type HTTPTransport struct {
	url         string
	header      http.Header
	headerFuncs []func(context.Context, *RunAgentInput, http.Header) error
	limits      HTTPLimits
	own         *http.Client
	unversioned bool

	client  *http.Client
	refused *Error // a URL or header that no request can be made of
}

// HTTP makes a transport to the agent at a URL. A URL or a header that is no use has every run refused with a KindConfig
// error. Transports without WithHTTPClient and with the same limits on dialling, TLS and header share connections.
func HTTP(url string, opts ...HTTPOption) *HTTPTransport {
	t := &HTTPTransport{url: url, header: http.Header{}}
	for _, o := range opts {
		if o != nil {
			o(t)
		}
	}
	t.limits = t.limits.withDefaults()
	t.refused = t.check()
	client := http.Client{}
	if t.own != nil {
		client = *t.own
	} else {
		client.Transport = roundTripper(t.limits)
	}
	client.CheckRedirect = redirects(client.CheckRedirect)
	t.client = &client
	return t
}

func (t *HTTPTransport) check() *Error {
	u, err := url.Parse(t.url)
	switch {
	case err != nil:
		return configError("no URL: "+unwrapURL(err).Error(), err)
	case u.Scheme != "http" && u.Scheme != "https":
		return configError("the URL's scheme is "+strconv.Quote(u.Scheme)+", not http or https", nil)
	case u.Host == "":
		return configError("the URL has no host", nil)
	}
	return checkHeader(t.header)
}

// CloseIdleConnections closes the connections that are kept for a next request.
func (t *HTTPTransport) CloseIdleConnections() { t.client.CloseIdleConnections() }

// tripperLimits are the limits that a round tripper holds.
type tripperLimits struct{ dial, tls, header time.Duration }

// trippers are shared by all transports of the process, so that one made for each session finds the connections of the
// one before. Few sets of limits are in use in a program.
var trippers sync.Map // tripperLimits -> *http.Transport

func roundTripper(l HTTPLimits) http.RoundTripper {
	key := tripperLimits{l.Dial, l.TLS, l.Header}
	if rt, ok := trippers.Load(key); ok {
		return rt.(*http.Transport)
	}
	dialer := &net.Dialer{Timeout: l.Dial, KeepAlive: 30 * time.Second}
	rt, _ := trippers.LoadOrStore(key, &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		TLSHandshakeTimeout:   l.TLS,
		ResponseHeaderTimeout: l.Header,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          1024,
		MaxIdleConnsPerHost:   256,
		IdleConnTimeout:       30 * time.Second,
		DisableCompression:    true, // decoded here, so that a corrupt body is known for what it is
		HTTP2: &http.HTTP2Config{
			MaxReceiveBufferPerStream: streamBuffer,
			SendPingTimeout:           30 * time.Second,
			PingTimeout:               15 * time.Second,
		},
	})
	return rt.(*http.Transport)
}

// Run posts the input and gives the answer's body.
func (t *HTTPTransport) Run(ctx context.Context, in *RunAgentInput) (io.ReadCloser, error) {
	if t.refused != nil {
		return nil, t.refused
	}
	if t.unversioned {
		c := *in
		c.ProtocolVersion = OptString{}
		in = &c
	}
	reqCtx, cancel := context.WithCancelCause(context.WithValue(ctx, firstHop{}, new(hop)))
	req, err := t.request(reqCtx, in)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	body := newHTTPBody(ctx, reqCtx, cancel, t.limits.Idle)
	res, err := t.client.Do(req) //nolint:bodyclose // it is body's from here on, which its reader closes
	body.wire.arrived()
	if err != nil {
		_ = body.Close()
		return nil, t.failure(body, err)
	}
	body.wire.body = res.Body
	if err := body.decode(res.Header.Get("Content-Encoding")); err != nil {
		return nil, rejected(res, body, err.Error())
	}
	if fault := checkAnswer(res); fault != "" {
		return nil, rejected(res, body, fault)
	}
	return body, nil
}

// failure is why there was no answer.
func (t *HTTPTransport) failure(body *httpBody, err error) error {
	err = body.translate(unwrapURL(err))
	if body.caller.Err() != nil {
		return err
	}
	return &Error{Kind: KindTransport, Offset: -1, Reason: err.Error(), Err: err}
}

func (t *HTTPTransport) request(ctx context.Context, in *RunAgentInput) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, bytes.NewReader(in.AppendJSON(nil)))
	if err != nil {
		return nil, configError(err.Error(), err)
	}
	own := t.header.Clone()
	for _, f := range t.headerFuncs {
		if err := f(ctx, in, own); err != nil {
			return nil, configError("request headers: "+err.Error(), err)
		}
	}
	if err := checkHeader(own); err != nil {
		return nil, err
	}
	if host := own.Get("Host"); host != "" {
		req.Host = host
	}
	first := ctx.Value(firstHop{}).(*hop)
	first.own = own
	req.Header = own.Clone()
	setDefault(req.Header, "Accept-Encoding", "gzip, deflate")
	setDefault(req.Header, "User-Agent", "aguistream")
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", eventStream)
	return req, nil
}

func setDefault(h http.Header, key, value string) {
	if h.Values(key) == nil {
		h.Set(key, value)
	}
}

// checkAnswer says what keeps an answer from being an event stream.
func checkAnswer(res *http.Response) string {
	if res.StatusCode < 200 || res.StatusCode > 299 {
		text := http.StatusText(res.StatusCode)
		if text == "" {
			text = "unknown status"
		}
		if to := res.Header.Get("Location"); to != "" && res.StatusCode < 400 {
			text += ": the redirect is not followed"
		}
		return text
	}
	kind := res.Header.Get("Content-Type")
	base, _, _ := strings.Cut(kind, ";")
	switch {
	case strings.EqualFold(strings.TrimSpace(base), eventStream):
		return ""
	case kind == "":
		return "the answer has no content type, " + eventStream + " is due"
	}
	return "the answer's content type is " + strconv.Quote(kind) + ", " + eventStream + " is due"
}

// rejected is the error of an answer that is no event stream; it closes the body.
func rejected(res *http.Response, body *httpBody, reason string) error {
	text := body.text()
	if err := body.caller.Err(); err != nil {
		return err
	}
	if line := excerpt(text); line != "" {
		reason += ": " + line
	}
	return &Error{Kind: KindHTTP, Offset: -1, Status: res.StatusCode, Body: text, Reason: reason}
}

// excerpt is the beginning of a body, fit for an error's text.
func excerpt(body []byte) string {
	const most = 200
	line, _, _ := bytes.Cut(bytes.TrimSpace(body), []byte("\n"))
	dots := ""
	if len(line) > most {
		line, dots = line[:most], "..."
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(string(line), "")) + dots
}

// checkHeader finds what HTTP can't carry. It is told before anything is sent, and without the value, which may be a
// secret.
func checkHeader(h http.Header) *Error {
	for key, values := range h {
		if key == "" || strings.IndexFunc(key, func(r rune) bool { return !isToken(r) }) >= 0 {
			return configError("no header name: "+strconv.Quote(key), nil)
		}
		for _, v := range values {
			if strings.IndexFunc(v, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7F }) >= 0 {
				return configError("the value of header "+key+" has control characters", nil)
			}
		}
	}
	return nil
}

// isToken says whether a header's name may hold r (RFC 9110, section 5.6.2).
func isToken(r rune) bool {
	return r < 0x7F && r > ' ' && !strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
}

// unwrapURL takes the request's URL off an error: it may hold secrets.
func unwrapURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
