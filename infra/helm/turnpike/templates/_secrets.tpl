{{/*
Secrets are files: an environment is inherited by child processes and shown by debuggers. A service finds NAME in the file that NAME_FILE
names. Each pod mounts the keys that its own configuration asks for and no other.
*/}}

{{/* What each component holds: the whole list, in one place. Gives YAML of VARIABLE: name under secrets.refs. */}}
{{- define "turnpike.secretsOf" -}}
{{- $kafka := list "gateway" "ledger" "text-worker" "media-worker" "transcription-worker" "topics" }}
{{- $streams := without $kafka "topics" }}
{{- $models := .root.Values.models }}
{{- if and (has .component $kafka) .root.Values.kafka.sasl.mechanism }}
KAFKA_SASL_USERNAME: kafkaUsername
KAFKA_SASL_PASSWORD: kafkaPassword
{{- end }}
{{- if and (has .component $kafka) .root.Values.kafka.tls.enabled }}
KAFKA_TLS_CERT: kafkaClientCertificate
KAFKA_TLS_KEY: kafkaClientKey
{{- end }}
{{- if has .component $streams }}
{{- if not .root.Values.redis.url }}
REDIS_URL: redisUrl
{{- end }}
REDIS_PASSWORD: redisPassword
CONTENT_KEYS: contentKeys
{{- end }}
{{- if has .component (append $streams "auditor") }}
S3_ACCESS_KEY_ID: s3AccessKeyId
S3_SECRET_ACCESS_KEY: s3SecretAccessKey
{{- end }}
{{- if has .component (list "gateway" "ledger" "facilitator" "auditor") }}
CHAIN_RPC_URL: chainRpcUrl
{{- end }}
{{- if has .component (list "gateway" "ledger" "facilitator") }}
FACILITATOR_TOKEN: facilitatorToken
{{- end }}
{{- if has .component (list "gateway" "ledger") }}
INTERNAL_TOKEN: internalToken
{{- end }}
{{- if has .component (list "ledger" "auditor") }}
AUDIT_TOKEN: auditToken
{{- end }}
{{- if has .component (list "gateway" "auditor") }}
RECEIPT_TOKEN_KEYS: receiptTokenKeys
{{- end }}
{{- if eq .component "auditor" }}
CONTENT_KEYS: contentKeys
{{- end }}
{{- if has .component (list "gateway" "media-worker") }}
MEDIA_CAPABILITY_KEYS: mediaCapabilityKeys
{{- end }}
{{- if and $models.transcription (has .component (list "gateway" "transcription-worker")) (not .root.Values.stagingKms.keys) }}
STAGING_KEYS: stagingKeys
{{- end }}
{{- if or (eq .component "text-worker") (and $models.image (eq .component "media-worker")) }}
GEMINI_API_KEY: geminiApiKey
{{- end }}
{{- if or (eq .component "transcription-worker") (and $models.speech (eq .component "media-worker")) }}
ELEVENLABS_API_KEY: elevenlabsApiKey
{{- end }}
{{- if and $models.speech (eq .component "media-worker") }}
VOICES: voices
{{- end }}
{{- if has .component (list "ledger" "migrate") }}
DATABASE_URL: databaseUrl
{{- end }}
{{- if eq .component "migrate" }}
MIGRATION_DATABASE_URL: migrationDatabaseUrl
{{- end }}
{{- if eq .component "ledger" }}
RECEIPT_SIGNING_KEYS: receiptSigningKeys
{{- end }}
{{- if eq .component "paid-check" }}
WALLET_PRIVATE_KEY: testWalletKey
{{- end }}
{{- if and .root.Values.tracing.endpoint (not (has .component (list "migrate" "topics" "paid-check"))) }}
OTEL_EXPORTER_OTLP_HEADERS: tracingHeaders
{{- end }}
{{- end }}

{{/*
Where a secret lies, as YAML of name and key; empty when it is not used. A service's own reference wins over its own Secret, that over the
shared ones. Takes (dict "root" $ "values" .Values.gateway "ref" "redisUrl").
*/}}
{{- define "turnpike.secretRef" -}}
{{- $secrets := .root.Values.secrets }}
{{- $service := (.values | default dict).secrets | default dict }}
{{- $own := index ($service.refs | default dict) .ref | default dict }}
{{- $shared := index $secrets.refs .ref | default dict }}
{{- $key := $own.key | default $shared.key }}
{{- if $key }}
{{- $name := $own.name | default $service.existingSecret | default $shared.name | default $secrets.existingSecret }}
{{- if not $name }}
{{- fail (printf "\n\nsecrets.existingSecret (or secrets.refs.%s.name) must name the Secret that holds %s." .ref $key) }}
{{- end }}
name: {{ $name | quote }}
key: {{ $key | quote }}
{{- end }}
{{- end }}

{{- define "turnpike.secretEnv" }}
{{- range $variable, $ref := include "turnpike.secretsOf" . | fromYaml }}
{{- if include "turnpike.secretRef" (dict "root" $.root "values" $.values "ref" $ref) }}
- name: {{ $variable }}_FILE
  value: /run/secrets/turnpike/{{ $variable }}
{{- end }}
{{- end }}
{{- with include "turnpike.serverTls" . }}
- name: SERVER_TLS_CERT_FILE
  value: /run/secrets/server/tls.crt
- name: SERVER_TLS_KEY_FILE
  value: /run/secrets/server/tls.key
{{- end }}
{{- end }}

{{- define "turnpike.secretSources" }}
{{- range $variable, $ref := include "turnpike.secretsOf" . | fromYaml }}
{{- with include "turnpike.secretRef" (dict "root" $.root "values" $.values "ref" $ref) | fromYaml }}
- secret:
    name: {{ .name }}
    items: [{key: {{ .key }}, path: {{ $variable }}}]
{{- end }}
{{- end }}
{{- end }}

{{- define "turnpike.secretMount" }}
{{- if include "turnpike.secretSources" . }}
- name: secrets
  mountPath: /run/secrets/turnpike
  readOnly: true
{{- end }}
{{- if include "turnpike.serverTls" . }}
- name: server-tls
  mountPath: /run/secrets/server
  readOnly: true
{{- end }}
{{- end }}

{{- define "turnpike.secretVolume" }}
{{- with include "turnpike.secretSources" . }}
- name: secrets
  projected:
    defaultMode: 288 # 0440
    sources:
      {{- . | trim | nindent 6 }}
{{- end }}
{{- with include "turnpike.serverTls" . }}
- name: server-tls
  secret:
    secretName: {{ . }}
    defaultMode: 288 # 0440
{{- end }}
{{- end }}

{{/* The Secret (of type kubernetes.io/tls) that a component serves with; empty when it speaks plain HTTP. */}}
{{- define "turnpike.serverTls" -}}
{{- if has .component (list "ledger" "facilitator") }}
{{- (index .root.Values .component).tlsSecret }}
{{- end }}
{{- end }}
