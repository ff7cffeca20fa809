{{/* Who may be reached. Takes (dict "root" $ "to" "kafka"): a dependency of values.networkPolicy, or one of our own components. */}}
{{- define "turnpike.egressTo" -}}
{{- $root := .root }}
{{- if has .to (list "ledger" "facilitator" "gateway") }}
- to:
    - podSelector:
        matchLabels:
          {{- include "turnpike.selectorLabels" (dict "root" $root "component" .to) | nindent 10 }}
  ports:
    - {protocol: TCP, port: {{ eq .to "ledger" | ternary "internal" "http" }}}
{{- else }}
{{- $rule := index $root.Values.networkPolicy.egress .to }}
{{- if $rule.peers }}
- to:
    {{- toYaml $rule.peers | nindent 4 }}
  ports:
    {{- range $rule.ports }}
    - {protocol: TCP, port: {{ . }}}
    {{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "turnpike.egressToDns" -}}
{{- with .root.Values.networkPolicy.egress.dns }}
- to:
    {{- toYaml .peers | nindent 4 }}
  ports:
    {{- range .ports }}
    - {protocol: UDP, port: {{ . }}}
    - {protocol: TCP, port: {{ . }}}
    {{- end }}
{{- end }}
{{- end }}

{{/* Of each component: what it owns and needs, in one place. The external facilitator and the tracing collector count when they are used. */}}
{{- define "turnpike.egressTable" -}}
{{- $facilitator := .Values.facilitator.enabled | ternary "facilitator" "externalFacilitator" -}}
gateway: [kafka, redis, s3, chainRpc, ledger, {{ $facilitator }}, kms, safety, tracing]
ledger: [postgres, kafka, redis, s3, chainRpc, {{ $facilitator }}, tracing]
text-worker: [kafka, redis, s3, upstreams, tracing]
media-worker: [kafka, redis, s3, upstreams, tracing]
transcription-worker: [kafka, redis, s3, upstreams, kms, tracing]
facilitator: [chainRpc, tracing]
migrate: [postgres]
topics: [kafka]
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
