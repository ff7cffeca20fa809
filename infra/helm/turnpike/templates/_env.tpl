{{/* Environment of a container. Names are those of services/<name>/src/config.ts; a test compares them. */}}
{{- define "turnpike.var" -}}
- name: {{ index . 0 }}
  value: {{ index . 1 | toString | quote }}
{{- end }}

{{- define "turnpike.env.base" -}}
{{ include "turnpike.var" (list "NODE_ENV" "production") }}
{{ include "turnpike.var" (list "HOST" "0.0.0.0") }}
{{ include "turnpike.var" (list "INTERNAL_PORT" 9402) }}
{{ include "turnpike.var" (list "LOG_FORMAT" "json") }}
{{ include "turnpike.var" (list "LOG_LEVEL" .root.Values.logLevel) }}
{{- include "turnpike.env.ca" . }}
{{- end }}

{{- define "turnpike.env.ca" -}}
{{- if or .root.Values.caBundle.configMap .root.Values.caBundle.secret }}
{{ include "turnpike.var" (list "NODE_EXTRA_CA_CERTS" "/etc/turnpike/ca/ca.crt") }}
{{- end }}
{{- end }}

{{- define "turnpike.env.kafka" -}}
{{ include "turnpike.var" (list "KAFKA_BROKERS" (join "," .root.Values.kafka.brokers)) }}
{{- end }}

{{- define "turnpike.env.s3" -}}
{{- with .root.Values.s3 }}
{{- if .endpoint }}
{{ include "turnpike.var" (list "S3_ENDPOINT" .endpoint) }}
{{- end }}
{{ include "turnpike.var" (list "S3_REGION" .region) }}
{{ include "turnpike.var" (list "S3_BUCKET" .bucket) }}
{{ include "turnpike.var" (list "S3_FORCE_PATH_STYLE" .forcePathStyle) }}
{{- end }}
{{- end }}

{{- define "turnpike.env.kms" -}}
{{- with .root.Values.stagingKms }}
{{- if .keys }}
{{ include "turnpike.var" (list "STAGING_KMS_KEYS" (join "," .keys)) }}
{{- end }}
{{- if .endpoint }}
{{ include "turnpike.var" (list "STAGING_KMS_ENDPOINT" .endpoint) }}
{{- end }}
{{- end }}
{{- end }}

{{/* The operator's settings of a service, as strings: a large number of YAML would become 1e+06. */}}
{{- define "turnpike.env.settings" -}}
{{- range $name, $value := .values.settings }}
{{ include "turnpike.var" (list $name $value) }}
{{- end }}
{{- end }}
