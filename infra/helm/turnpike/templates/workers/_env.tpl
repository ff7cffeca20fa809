{{/* What one kind of worker has and the others have not. Routes are the values' models, so that they are named once. */}}
{{- define "turnpike.env.text-worker" -}}
{{ include "turnpike.var" (list "TEXT_ROUTES" (toJson .root.Values.models.text)) }}
{{ include "turnpike.env.gemini" . }}
{{- end }}

{{- define "turnpike.env.media-worker" -}}
{{ include "turnpike.var" (list "PUBLIC_BASE_URL" .root.Values.publicBaseUrl) }}
{{ include "turnpike.var" (list "IMAGE_ROUTES" (toJson .root.Values.models.image)) }}
{{ include "turnpike.var" (list "SPEECH_ROUTES" (toJson .root.Values.models.speech)) }}
{{ include "turnpike.env.gemini" . }}
{{ include "turnpike.env.elevenlabs" . }}
{{- end }}

{{- define "turnpike.env.transcription-worker" -}}
{{ include "turnpike.var" (list "TRANSCRIPTION_ROUTES" (toJson .root.Values.models.transcription)) }}
{{ include "turnpike.env.elevenlabs" . }}
{{- include "turnpike.env.kms" . }}
{{- end }}

{{- define "turnpike.env.gemini" -}}
{{ include "turnpike.var" (list "GEMINI_BASE_URL" .root.Values.upstreams.geminiBaseUrl) }}
{{- end }}

{{- define "turnpike.env.elevenlabs" -}}
{{ include "turnpike.var" (list "ELEVENLABS_BASE_URL" .root.Values.upstreams.elevenlabsBaseUrl) }}
{{- end }}
