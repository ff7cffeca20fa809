{{/*
Secrets are files: an environment is inherited by child processes and shown by debuggers. A service finds NAME in the file that NAME_FILE
names. Each pod mounts the keys that its own configuration asks for and no other.
All of these take (dict "root" $ "secrets" (list (list "VARIABLE" "ref") …)), where ref is a name under .Values.secrets.refs.
*/}}

{{- define "turnpike.secretIsSet" -}}
{{- $ref := index .root.Values.secrets.refs .ref | default dict }}
{{- if $ref.key }}true{{ end }}
{{- end }}

{{- define "turnpike.secretName" -}}
{{- $ref := index .root.Values.secrets.refs .ref }}
{{- $name := $ref.name | default .root.Values.secrets.existingSecret }}
{{- required (printf "secrets.existingSecret or secrets.refs.%s.name must name the Secret that holds %s" .ref $ref.key) $name }}
{{- end }}

{{- define "turnpike.secretEnv" -}}
{{- range $pair := .secrets }}
{{- if include "turnpike.secretIsSet" (dict "root" $.root "ref" (index $pair 1)) }}
- name: {{ index $pair 0 }}_FILE
  value: /run/secrets/turnpike/{{ index $pair 0 }}
{{- end }}
{{- end }}
{{- end }}

{{- define "turnpike.secretVolume" -}}
- name: secrets
  projected:
    defaultMode: 288 # 0440
    sources:
      {{- range $pair := .secrets }}
      {{- $args := dict "root" $.root "ref" (index $pair 1) }}
      {{- if include "turnpike.secretIsSet" $args }}
      - secret:
          name: {{ include "turnpike.secretName" $args }}
          items:
            - key: {{ (index $.root.Values.secrets.refs (index $pair 1)).key | quote }}
              path: {{ index $pair 0 }}
      {{- end }}
      {{- end }}
{{- end }}

{{/* What each component holds: the whole list, in one place. Gives JSON of [[VARIABLE, ref], …]. */}}
{{- define "turnpike.secretsOf" -}}
{{- $redis := list (list "REDIS_URL" "redisUrl") }}
{{- $content := list (list "CONTENT_KEYS" "contentKeys") }}
{{- $s3 := list (list "S3_ACCESS_KEY_ID" "s3AccessKeyId") (list "S3_SECRET_ACCESS_KEY" "s3SecretAccessKey") }}
{{- $kafka := list }}
{{- $stream := concat $redis $content $s3 $kafka }}
{{- $rpc := list (list "CHAIN_RPC_URL" "chainRpcUrl") }}
{{- $token := list (list "FACILITATOR_TOKEN" "facilitatorToken") }}
{{- $internal := list (list "INTERNAL_TOKEN" "internalToken") }}
{{- $staging := list (list "STAGING_KEYS" "stagingKeys") }}
{{- $table := dict
  "gateway" (concat $stream $rpc $token $internal $staging (list (list "RECEIPT_TOKEN_KEYS" "receiptTokenKeys") (list "MEDIA_CAPABILITY_KEYS" "mediaCapabilityKeys")))
  "ledger" (concat $stream $rpc $token $internal (list (list "DATABASE_URL" "databaseUrl") (list "RECEIPT_SIGNING_KEYS" "receiptSigningKeys")))
  "text-worker" (concat $stream (list (list "GEMINI_API_KEY" "geminiApiKey")))
  "media-worker" (concat $stream (list (list "MEDIA_CAPABILITY_KEYS" "mediaCapabilityKeys") (list "GEMINI_API_KEY" "geminiApiKey") (list "ELEVENLABS_API_KEY" "elevenlabsApiKey") (list "VOICES" "voices")))
  "transcription-worker" (concat $stream $staging (list (list "ELEVENLABS_API_KEY" "elevenlabsApiKey")))
  "facilitator" (concat $rpc $token)
  "migrate" (list (list "DATABASE_URL" "databaseUrl") (list "MIGRATION_DATABASE_URL" "migrationDatabaseUrl"))
  "topics" $kafka
}}
{{- index $table .component | toJson }}
{{- end }}
