{{/* Routes are the values' models, so that they are named once. */}}
{{- define "turnpike.env.worker" }}
{{- include "turnpike.env.streams" . }}
{{- include "turnpike.env.eventSchema" . }}
{{- include "turnpike.var" (list "CONCURRENCY" (int .values.concurrency)) }}
{{- include "turnpike.var" (list "DRAIN_GRACE_MS" (mul 1000 .values.drainSeconds)) }}
{{- end }}

{{- define "turnpike.env.text-worker" }}
{{- include "turnpike.env.worker" . }}
{{- include "turnpike.var" (list "TEXT_ROUTES" (toJson .root.Values.models.text)) }}
{{- include "turnpike.var" (list "GEMINI_BASE_URL" .root.Values.upstreams.geminiBaseUrl) }}
{{- end }}

{{- define "turnpike.env.media-worker" }}
{{- include "turnpike.env.worker" . }}
{{- include "turnpike.var" (list "PUBLIC_BASE_URL" .root.Values.publicBaseUrl) }}
{{- with .root.Values.models.image }}
{{- include "turnpike.var" (list "IMAGE_ROUTES" (toJson .)) }}
{{- include "turnpike.var" (list "GEMINI_BASE_URL" $.root.Values.upstreams.geminiBaseUrl) }}
{{- end }}
{{- with .root.Values.models.speech }}
{{- include "turnpike.var" (list "SPEECH_ROUTES" (toJson .)) }}
{{- include "turnpike.var" (list "ELEVENLABS_BASE_URL" $.root.Values.upstreams.elevenlabsBaseUrl) }}
{{- end }}
{{- end }}

{{- define "turnpike.env.transcription-worker" }}
{{- include "turnpike.env.worker" . }}
{{- include "turnpike.var" (list "TRANSCRIPTION_ROUTES" (toJson .root.Values.models.transcription)) }}
{{- include "turnpike.var" (list "ELEVENLABS_BASE_URL" .root.Values.upstreams.elevenlabsBaseUrl) }}
{{- include "turnpike.env.kms" . }}
{{- end }}
