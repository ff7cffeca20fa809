{{/* All that a component may reach: names, and its row of the table below. Takes (dict "root" $ "component" "gateway"). */}}
{{- define "turnpike.egress" }}
{{- with .root.Values.networkPolicy.egress.dns }}
- to:
    {{- toYaml .peers | nindent 4 }}
  ports:
    {{- range .ports }}
    - {protocol: UDP, port: {{ . }}}
    - {protocol: TCP, port: {{ . }}}
    {{- end }}
{{- end }}
{{- range $to := index (include "turnpike.egressTable" .root | fromYaml) .component }}
{{- include "turnpike.egressTo" (dict "root" $.root "to" $to) }}
{{- end }}
{{- end }}

{{/* One peer: a dependency of values.networkPolicy, which may be absent, or one of our own components. */}}
{{- define "turnpike.egressTo" }}
{{- $root := .root }}
{{- if has .to (list "gateway" "ledger" "facilitator") }}
- to:
    - podSelector:
        matchLabels:
          {{- include "turnpike.selectorLabels" (dict "root" $root "component" .to) | nindent 10 }}
  ports:
    - {protocol: TCP, port: {{ eq .to "ledger" | ternary "internal" "http" }}}
{{- else }}
{{- with index $root.Values.networkPolicy.egress .to }}
{{- if .peers }}
- to:
    {{- toYaml .peers | nindent 4 }}
  ports:
    {{- range .ports }}
    - {protocol: TCP, port: {{ . }}}
    {{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Of each component: what it owns and needs, in one place. */}}
{{- define "turnpike.egressTable" -}}
{{- $facilitator := .Values.facilitator.enabled | ternary "facilitator" "externalFacilitator" }}
gateway: [kafka, redis, s3, chainRpc, ledger, {{ $facilitator }}, kms, safety, tracing]
ledger: [postgres, kafka, redis, s3, chainRpc, {{ $facilitator }}, tracing]
text-worker: [kafka, redis, s3, upstreams, tracing]
media-worker: [kafka, redis, s3, upstreams, tracing]
transcription-worker: [kafka, redis, s3, upstreams, kms, tracing]
facilitator: [chainRpc, tracing]
auditor: [gateway, ledger, s3, chainRpc, tracing]
migrate: [postgres]
topics: [kafka]
paid-check: [gateway]
{{- end }}

{{/* Who may reach a component's port: other components. */}}
{{- define "turnpike.ingressFromComponents" -}}
- from:
    {{- range .from }}
    - podSelector:
        matchLabels:
          {{- include "turnpike.selectorLabels" (dict "root" $.root "component" .) | nindent 10 }}
    {{- end }}
  ports:
    - {protocol: TCP, port: {{ .port }}}
{{- end }}
