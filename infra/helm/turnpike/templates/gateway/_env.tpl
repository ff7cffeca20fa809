{{- define "turnpike.env.gateway" }}
{{- $values := .root.Values }}
{{- $models := concat (keys $values.models.text) (keys $values.models.image) (keys $values.models.speech) (keys $values.models.transcription) }}
{{- include "turnpike.env.streams" . }}
{{- include "turnpike.var" (list "PORT" 8402) }}
{{- include "turnpike.var" (list "PUBLIC_BASE_URL" $values.publicBaseUrl) }}
{{- include "turnpike.var" (list "PAY_TO" $values.payTo) }}
{{- include "turnpike.var" (list "LEDGER_URL" (include "turnpike.ledgerUrl" .root)) }}
{{- include "turnpike.var" (list "FACILITATOR_URL" (include "turnpike.facilitatorUrl" .root)) }}
{{- include "turnpike.var" (list "ENABLED_MODELS" (join "," (sortAlpha $models))) }}
{{- include "turnpike.var" (list "TRUSTED_PROXIES" .values.trustedProxies) }}
{{- include "turnpike.var" (list "SHUTDOWN_GRACE_MS" (mul 1000 .values.drainSeconds)) }}
{{- if $values.models.transcription }}
{{- include "turnpike.env.kms" . }}
{{- end }}
{{- end }}
