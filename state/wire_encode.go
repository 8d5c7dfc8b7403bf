package state

import "github.com/aguistream/aguistream/decode"

// AppendMessages appends the wire form of a list of messages.
func AppendMessages(dst []byte, list []*Message) []byte {
	dst = append(dst, '[')
	for i, m := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = m.AppendJSON(dst)
	}
	return append(dst, ']')
}

// AppendParts appends the wire form of a list of parts.
func AppendParts(dst []byte, parts []Part) []byte {
	dst = append(dst, '[')
	for i := range parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = parts[i].AppendJSON(dst)
	}
	return append(dst, ']')
}

// AppendJSON appends the wire form (protocol 2.1). An empty list of calls is left out.
func (m *Message) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	dst = appendString(dst, "id", m.ID)
	dst = appendString(dst, "role", m.Role.String())
	dst = m.appendContent(dst)
	dst = appendOpt(dst, "name", m.Name)
	if len(m.ToolCalls) > 0 {
		dst = append(appendKey(dst, "toolCalls"), '[')
		for i, c := range m.ToolCalls {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = c.AppendJSON(dst)
		}
		dst = append(dst, ']')
	}
	if m.Role == RoleTool {
		dst = appendString(dst, "toolCallId", m.ToolCallID)
	}
	dst = appendOpt(dst, "error", m.Error)
	if m.Role == RoleActivity {
		dst = appendString(dst, "activityType", m.ActivityType)
	}
	dst = appendEncrypted(dst, m.EncryptedValue, m.EncryptedValueType)
	dst = appendMetadata(dst, m.Metadata)
	dst = appendOpt(dst, "subagentRunId", m.SubagentRunID)
	return append(dst, '}')
}

func (m *Message) appendContent(dst []byte) []byte {
	switch {
	case m.Role == RoleActivity:
		dst = appendKey(dst, "content")
		if m.Activity == nil {
			return append(dst, "{}"...)
		}
		return m.Activity.AppendJSON(dst)
	case m.HasParts:
		return AppendParts(appendKey(dst, "content"), m.Parts)
	case m.hasText || m.Role != RoleAssistant:
		return decode.AppendQuoted(appendKey(dst, "content"), m.text)
	}
	return dst
}

// AppendJSON appends the wire form (protocol 2.2).
func (c *ToolCall) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	dst = appendString(dst, "id", c.ID)
	dst = append(dst, `,"type":"function","function":{`...)
	dst = appendString(dst, "name", c.Name)
	dst = decode.AppendQuoted(appendKey(dst, "arguments"), c.args)
	dst = append(dst, '}')
	dst = appendEncrypted(dst, c.EncryptedValue, c.EncryptedValueType)
	dst = appendMetadata(dst, c.Metadata)
	return append(dst, '}')
}

func appendEncrypted(dst []byte, value, valueType OptString) []byte {
	return appendOpt(appendOpt(dst, "encryptedValue", value), "encryptedValueType", valueType)
}

func appendMetadata(dst []byte, md Metadata) []byte {
	if md == nil {
		return dst
	}
	return md.AppendJSON(appendKey(dst, "metadata"))
}

// AppendJSON appends the object.
func (md Metadata) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	for i := range md {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = decode.AppendQuotedString(dst, md[i].Key)
		dst = append(dst, ':')
		dst = append(dst, md[i].Value...)
	}
	return append(dst, '}')
}

// AppendJSON appends the wire form (protocol 2.3).
func (p *Part) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	dst = appendString(dst, "type", p.Type)
	if p.Source != nil {
		dst = p.Source.AppendJSON(appendKey(dst, "source"))
	} else {
		dst = appendString(dst, "text", p.Text)
	}
	dst = appendOpt(dst, "id", p.ID)
	dst = appendJSON(dst, "metadata", p.Metadata)
	return append(dst, '}')
}

// AppendJSON appends the wire form (protocol 2.3).
func (s *Source) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	dst = appendString(dst, "type", s.Type)
	dst = appendString(dst, "value", s.Value)
	dst = appendOpt(dst, "provider", s.Provider)
	dst = appendOpt(dst, "mimeType", s.MimeType)
	return append(dst, '}')
}
