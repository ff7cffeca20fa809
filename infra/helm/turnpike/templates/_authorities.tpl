{{/*
Certificate authorities of the operator's own, one for each wire: what signs the brokers' certificates is not thereby trusted for the
database's. `others` is added to the public ones, for what has no setting of its own (the chain's node, KMS, providers).
*/}}
{{- define "turnpike.authoritiesOf" -}}
{{- $streams := list "gateway" "ledger" "text-worker" "media-worker" "transcription-worker" }}
{{- if has .component (append $streams "topics") }}
kafka: KAFKA_TLS_CA_FILE
{{- end }}
{{- if has .component $streams }}
redis: REDIS_TLS_CA_FILE
{{- end }}
{{- if has .component (append $streams "auditor") }}
s3: S3_TLS_CA_FILE
{{- end }}
{{- if has .component (list "ledger" "migrate") }}
postgres: DATABASE_TLS_CA_FILE
{{- end }}
{{- if and (has .component (list "gateway" "auditor")) .root.Values.ledger.tlsSecret }}
ledger: LEDGER_TLS_CA_FILE
{{- end }}
{{- if has .component (list "gateway" "ledger") }}
facilitator: FACILITATOR_TLS_CA_FILE
{{- end }}
others: NODE_EXTRA_CA_CERTS
{{- end }}

{{- define "turnpike.authorityEnv" }}
{{- range $wire, $variable := include "turnpike.authoritiesOf" . | fromYaml }}
{{- $from := index $.root.Values.authorities $wire }}
{{- if or $from.configMap $from.secret }}
- name: {{ $variable }}
  value: /etc/turnpike/authorities/{{ $wire }}.crt
{{- end }}
{{- end }}
{{- end }}

{{- define "turnpike.authorityMount" }}
{{- if include "turnpike.authorityEnv" . }}
- name: authorities
  mountPath: /etc/turnpike/authorities
  readOnly: true
{{- end }}
{{- end }}

{{- define "turnpike.authorityVolume" }}
{{- if include "turnpike.authorityEnv" . }}
- name: authorities
  projected:
    defaultMode: 292 # 0444
    sources:
      {{- range $wire, $variable := include "turnpike.authoritiesOf" . | fromYaml }}
      {{- with index $.root.Values.authorities $wire }}
      {{- if or .configMap .secret }}
      - {{ empty .configMap | ternary "secret" "configMap" }}:
          name: {{ .configMap | default .secret }}
          items: [{key: {{ .key | default "ca.crt" }}, path: {{ $wire }}.crt}]
      {{- end }}
      {{- end }}
      {{- end }}
{{- end }}
{{- end }}
