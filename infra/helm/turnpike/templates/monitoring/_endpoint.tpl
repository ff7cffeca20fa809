{{/* One scraped endpoint. Takes (dict "root" $ "component" "ledger" "interval" 30 "selectLabel" …). */}}
{{- define "turnpike.metricsEndpoint" -}}
- port: internal
  path: /metrics
  interval: {{ .interval }}s
  scrapeTimeout: 10s
  # Our series carry `service` themselves, and `up` has to.
  honorLabels: true
  {{- if .tls }}
  scheme: https
  tlsConfig:
    serverName: {{ include "turnpike.componentName" (dict "root" .root "component" "ledger") }}
    {{- with .root.Values.authorities.ledger }}
    {{- if .configMap }}
    ca: {configMap: {name: {{ .configMap }}, key: {{ .key }}}}
    {{- else if .secret }}
    ca: {secret: {name: {{ .secret }}, key: {{ .key }}}}
    {{- end }}
    {{- end }}
  {{- end }}
  relabelings:
    - sourceLabels: [__meta_kubernetes_pod_label_app_kubernetes_io_component]
      targetLabel: service
{{- end }}
