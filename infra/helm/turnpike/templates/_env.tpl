{{/*
The environment of a container: what all have, what its service has, its authorities and secrets, and the operator's own settings. Names are
those of services/<name>/src/config.ts; a test compares them.
*/}}
{{- define "turnpike.env" }}
{{- include "turnpike.var" (list "NODE_ENV" "production") }}
{{- include (printf "turnpike.env.%s" .component) . }}
{{- include "turnpike.authorityEnv" . }}
{{- include "turnpike.secretEnv" . }}
{{- range $name, $value := .values.settings }}
{{- include "turnpike.var" (list $name $value) }}
{{- end }}
{{- end }}

{{/* Takes (list NAME value). */}}
{{- define "turnpike.var" }}
- name: {{ index . 0 }}
  value: {{ index . 1 | toString | quote }}
{{- end }}

{{/* What every long-running service has. */}}
{{- define "turnpike.env.process" }}
{{- include "turnpike.var" (list "HOST" "0.0.0.0") }}
{{- include "turnpike.var" (list "INTERNAL_PORT" 9402) }}
{{- include "turnpike.var" (list "LOG_FORMAT" "json") }}
{{- include "turnpike.var" (list "LOG_LEVEL" .root.Values.logLevel) }}
{{- with .root.Values.tracing }}
{{- if .endpoint }}
{{- include "turnpike.var" (list "OTEL_EXPORTER_OTLP_ENDPOINT" .endpoint) }}
{{- include "turnpike.var" (list "OTEL_TRACES_SAMPLER_ARG" .sampleRatio) }}
{{- end }}
{{- end }}
{{- end }}

{{/* What gateway, ledger and workers have in common. */}}
{{- define "turnpike.env.streams" }}
{{- include "turnpike.env.process" . }}
{{- include "turnpike.env.kafka" . }}
{{- include "turnpike.env.redis" . }}
{{- include "turnpike.env.s3" . }}
{{- end }}

{{- define "turnpike.env.kafka" }}
{{- with .root.Values.kafka }}
{{- include "turnpike.var" (list "KAFKA_BROKERS" (join "," .brokers)) }}
{{- include "turnpike.var" (list "KAFKA_TLS" (.tls.enabled | ternary "on" "off")) }}
{{- if .sasl.mechanism }}
{{- include "turnpike.var" (list "KAFKA_SASL_MECHANISM" .sasl.mechanism) }}
{{- if not (include "turnpike.secretRef" (dict "root" $.root "values" $.values "ref" "kafkaUsername")) }}
{{- include "turnpike.var" (list "KAFKA_SASL_USERNAME" (.sasl.username | default $.component)) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "turnpike.env.redis" }}
{{- with .root.Values.redis }}
{{- if .url }}
{{- include "turnpike.var" (list "REDIS_URL" .url) }}
{{- end }}
{{- include "turnpike.var" (list "REDIS_CLUSTER" (.cluster | ternary "on" "off")) }}
{{- if or .username .usernamePerService }}
{{- include "turnpike.var" (list "REDIS_USERNAME" (.username | default $.component)) }}
{{- end }}
{{- end }}
{{- end }}

{{- define "turnpike.env.s3" }}
{{- with .root.Values.s3 }}
{{- if .endpoint }}
{{- include "turnpike.var" (list "S3_ENDPOINT" .endpoint) }}
{{- end }}
{{- include "turnpike.var" (list "S3_REGION" .region) }}
{{- include "turnpike.var" (list "S3_BUCKET" .bucket) }}
{{- include "turnpike.var" (list "S3_FORCE_PATH_STYLE" .forcePathStyle) }}
{{- end }}
{{- end }}

{{- define "turnpike.env.kms" }}
{{- with .root.Values.stagingKms }}
{{- if .keys }}
{{- include "turnpike.var" (list "STAGING_KMS_KEYS" (join "," .keys)) }}
{{- if .endpoint }}
{{- include "turnpike.var" (list "STAGING_KMS_ENDPOINT" .endpoint) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "turnpike.env.eventSchema" }}
{{- include "turnpike.var" (list "EVENT_SCHEMA" .root.Values.eventSchema) }}
{{- end }}
