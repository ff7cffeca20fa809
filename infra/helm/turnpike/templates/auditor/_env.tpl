{{- define "turnpike.env.auditor" }}
{{- $values := .root.Values }}
{{- include "turnpike.env.process" . }}
{{- include "turnpike.env.s3" . }}
{{- include "turnpike.var" (list "GATEWAY_URL" (include "turnpike.gatewayUrl" .root)) }}
{{- include "turnpike.var" (list "LEDGER_URL" (include "turnpike.ledgerUrl" .root)) }}
{{- include "turnpike.var" (list "PAY_TO" $values.payTo) }}
{{- with .values.facilitatorSigners }}
{{- include "turnpike.var" (list "FACILITATOR_SIGNERS" (join "," .)) }}
{{- end }}
{{- end }}
