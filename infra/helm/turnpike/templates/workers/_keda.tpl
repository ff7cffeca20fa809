{{/* Whether there is anything to authenticate with: public authorities and no password need nothing. */}}
{{- define "turnpike.kedaAuthenticates" -}}
{{- $ca := .Values.authorities.kafka }}
{{- $hasCertificate := include "turnpike.secretRef" (dict "root" . "ref" "kafkaClientCertificate") }}
{{- if or .Values.kafka.sasl.mechanism (and .Values.kafka.tls.enabled (or $ca.configMap $ca.secret $hasCertificate)) }}true{{ end }}
{{- end }}

{{/* KEDA's own words for the mechanisms. */}}
{{- define "turnpike.kedaSasl" -}}
{{- index (dict "plain" "plaintext" "scram-sha-256" "scram_sha256" "scram-sha-512" "scram_sha512") . }}
{{- end }}
