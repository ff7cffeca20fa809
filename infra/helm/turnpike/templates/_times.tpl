{{/*
A pod's grace period covers all of its end, or the kubelet kills what is still paid for: the wait for the endpoints, the service's own
drain and its closing, and some seconds of slack. The closing times are those of the services' main.ts; a test compares them.
*/}}
{{- define "turnpike.graceSeconds" -}}
{{- $slack := 5 }}
{{- $closing := dict "gateway" 5 "ledger" 25 "text-worker" 12 "media-worker" 12 "transcription-worker" 12 "facilitator" 0 "auditor" 10 }}
{{- $preStop := ternary .root.Values.preStopSeconds 0 (default false .isServed) }}
{{- add (.values.drainSeconds | default 0) (index $closing .component) $preStop $slack }}
{{- end }}
