{{- define "turnpike.env.ledger" }}
{{- include "turnpike.env.streams" . }}
{{- include "turnpike.env.eventSchema" . }}
{{- include "turnpike.var" (list "FACILITATOR_URL" (include "turnpike.facilitatorUrl" .root)) }}
{{- end }}
