{{- define "turnpike.env.paid-check" }}
{{- include "turnpike.var" (list "GATEWAY_URL" (include "turnpike.gatewayUrl" .root)) }}
{{- include "turnpike.var" (list "PAY_TO" .root.Values.payTo) }}
{{- include "turnpike.var" (list "PAID_CHECK_MODEL" .values.model) }}
{{- include "turnpike.var" (list "PAID_CHECK_MAX_AMOUNT_ATOMIC" .values.maxAmountAtomic) }}
{{- end }}
