package plain

import "strings"

// The closed objects of the protocol (section 2), as far as events carry them.

var source = union("type", map[string]rule{
	"data": closed(need("type", str), need("value", str), need("mimeType", str)),
	"url":  closed(need("type", str), need("value", str), may("mimeType", str)),
	"file": closed(need("type", str), need("value", str), may("provider", str), may("mimeType", str)),
})

var (
	mediaPart = closed(need("type", str), need("source", source), may("id", str), may("metadata", notNull))
	typedPart = union("type", map[string]rule{
		"text":     closed(need("type", str), need("text", str), may("id", str), may("metadata", notNull)),
		"image":    mediaPart,
		"audio":    mediaPart,
		"video":    mediaPart,
		"document": mediaPart,
	})
	parts = list(part, 0)
)

// part upgrades a retired binary part before it is judged.
func part(e *enforcer, v any, path string) (any, bool, error) {
	if m, ok := v.(map[string]any); ok && m["type"] == "binary" {
		if up := upgradeBinary(m); up != nil {
			if !e.quietBinary {
				e.warn(path, "retired content part binary, read as "+up["type"].(string))
			}
			v = up
		}
	}
	return typedPart(e, v, path)
}

// upgradeBinary makes a media part of {type:"binary", mimeType, url?, data?,
// id?, filename?}; nil when it has no place where the content lies. The file
// name has no place in a media part.
func upgradeBinary(m map[string]any) map[string]any {
	mime, ok := m["mimeType"].(string)
	if !ok {
		return nil
	}
	kind, _, _ := strings.Cut(mime, "/")
	if kind != "image" && kind != "audio" && kind != "video" {
		kind = "document"
	}
	for _, place := range [][2]string{{"url", "url"}, {"data", "data"}, {"id", "file"}} {
		if value, ok := m[place[0]].(string); ok {
			return map[string]any{"type": kind, "source": map[string]any{"type": place[1], "value": value, "mimeType": mime}}
		}
	}
	return nil
}

// textOrParts is the content of user and tool messages.
func textOrParts(e *enforcer, v any, path string) (any, bool, error) {
	switch v.(type) {
	case string:
		return v, true, nil
	case []any:
		return parts(e, v, path)
	}
	return refuse(path, "is no string and no array of parts")
}

var toolCall = closed(
	need("id", str), need("type", constant("function")),
	need("function", closed(need("name", str), need("arguments", str))),
	may("encryptedValue", str), may("encryptedValueType", str), may("metadata", open),
)

// messageShape is what a role's message has beside its id, role, metadata and
// owner.
func messageShape(fields ...field) rule {
	return closed(append([]field{need("id", str), need("role", str), may("metadata", open), may("subagentRunId", str)}, fields...)...)
}

var (
	encrypted     = []field{may("encryptedValue", str), may("encryptedValueType", str)}
	plainMessage  = messageShape(append(encrypted, need("content", str), may("name", str))...)
	messageShapes = list(union("role", map[string]rule{
		"developer": plainMessage,
		"system":    plainMessage,
		"assistant": messageShape(append(encrypted, may("content", str), may("name", str), may("toolCalls", list(toolCall, 0)))...),
		"user":      messageShape(append(encrypted, need("content", textOrParts), may("name", str))...),
		"tool":      messageShape(append(encrypted, need("content", textOrParts), need("toolCallId", str), may("error", str))...),
		"activity":  messageShape(need("activityType", str), need("content", open)),
		"reasoning": messageShape(append(encrypted, need("content", str))...),
	}), 0)
)

var interruptShape = closed(
	need("id", str), need("reason", str), may("message", str), may("toolCallId", str), may("responseSchema", open),
	may("expiresAt", str), may("metadata", open), may("subagentRunId", str),
)

var runOutcome = union("type", map[string]rule{
	"success":   closed(need("type", str), may("pendingToolCallIds", list(str, 0))),
	"interrupt": closed(need("type", str), need("interrupts", list(interruptShape, 1))),
	"cancelled": closed(need("type", str)),
})

var subagentOutcome = union("type", map[string]rule{
	"success":   closed(need("type", str)),
	"suspended": closed(need("type", str), may("interruptIds", list(str, 0))),
})

var usageShape = list(closed(
	may("provider", str), may("model", str),
	may("inputTokens", count), may("outputTokens", count), may("totalTokens", count),
	may("reasoningTokens", count), may("cachedInputTokens", count), may("cacheWriteInputTokens", count),
), 0)

var inputShape = closed(
	need("threadId", str), need("runId", str), may("protocolVersion", str), may("parentRunId", str),
	may("state", notNull), need("messages", messageShapes),
	may("tools", list(closed(need("name", str), need("description", str), may("parameters", notNull), may("metadata", open)), 0)),
	may("context", list(closed(need("description", str), need("value", str)), 0)),
	may("forwardedProps", notNull),
	may("resume", list(closed(
		need("interruptId", str), need("status", enum("resolved", "cancelled")), may("payload", notNull), may("metadata", open),
	), 0)),
)
