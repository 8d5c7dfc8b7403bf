package engine

import (
	"net/http"
	"net/url"
	"strings"
)

const maxRedirects = 10

// hop is what a request remembers from its first host on; firstHop is its key in the request's context.
type hop struct {
	own http.Header // the caller's headers, which stay there
}

type firstHop struct{}

// redirects is the policy for a client whose own policy, if any, has the last word.
func redirects(own func(*http.Request, []*http.Request) error) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		if left(req, via) {
			strip(req)
		}
		if own != nil {
			return own(req, via)
		}
		switch {
		case req.Method != via[0].Method, len(via) > maxRedirects, via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https":
			return http.ErrUseLastResponse // its status tells
		}
		return nil
	}
}

// left says whether a request is, or ever was, away from where the first one went. One that comes back stays without
// credentials: the host between chose what it asks for.
func left(req *http.Request, via []*http.Request) bool {
	first := origin(via[0].URL)
	for _, r := range append(via[1:len(via):len(via)], req) {
		if origin(r.URL) != first {
			return true
		}
	}
	return false
}

func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}

// strip takes off all that was meant for the first host. Referer goes too: the first URL's query may hold a key.
func strip(req *http.Request) {
	if first, ok := req.Context().Value(firstHop{}).(*hop); ok {
		for key := range first.own {
			req.Header.Del(key)
		}
	}
	for _, key := range [...]string{"Authorization", "Proxy-Authorization", "Cookie", "Referer"} {
		req.Header.Del(key)
	}
	req.Host = ""
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", eventStream)
	setDefault(req.Header, "Accept-Encoding", "gzip, deflate")
	setDefault(req.Header, "User-Agent", "aguistream")
}
