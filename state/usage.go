package state

import "strconv"

// TokenUsage is what one model of one provider was asked and answered (protocol 2.6). A nil field was not reported; it
// must not be read as zero.
type TokenUsage struct {
	Provider              *string `json:"provider,omitempty"`
	Model                 *string `json:"model,omitempty"`
	InputTokens           *int64  `json:"inputTokens,omitempty"`  // all charged prompt tokens, cached ones included
	OutputTokens          *int64  `json:"outputTokens,omitempty"` // all generated tokens, reasoning included
	TotalTokens           *int64  `json:"totalTokens,omitempty"`  // input and output
	ReasoningTokens       *int64  `json:"reasoningTokens,omitempty"`
	CachedInputTokens     *int64  `json:"cachedInputTokens,omitempty"`
	CacheWriteInputTokens *int64  `json:"cacheWriteInputTokens,omitempty"`
}

// AppendJSON appends the wire form.
func (u *TokenUsage) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	if u.Provider != nil {
		dst = appendString(dst, "provider", *u.Provider)
	}
	if u.Model != nil {
		dst = appendString(dst, "model", *u.Model)
	}
	for _, c := range u.counts() {
		if *c.at != nil {
			dst = strconv.AppendInt(appendKey(dst, c.member.String()), **c.at, 10)
		}
	}
	return append(dst, '}')
}

type usageCount struct {
	member member
	at     **int64
}

func (u *TokenUsage) counts() [6]usageCount {
	return [...]usageCount{
		{memberInputTokens, &u.InputTokens},
		{memberOutputTokens, &u.OutputTokens},
		{memberTotalTokens, &u.TotalTokens},
		{memberReasoningTokens, &u.ReasoningTokens},
		{memberCachedInputTokens, &u.CachedInputTokens},
		{memberCacheWriteInputTokens, &u.CacheWriteInputTokens},
	}
}
