{{- define "turnpike.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/* The longest component name is 21 characters, and a StatefulSet's pods and a Job's get more behind it. */}}
{{- define "turnpike.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 36 | trimSuffix "-" }}
{{- else if contains (include "turnpike.name" .) .Release.Name }}
{{- .Release.Name | trunc 36 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "turnpike.name" .) | trunc 36 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* Takes (dict "root" $ "component" "gateway"). */}}
{{- define "turnpike.componentName" -}}
{{- printf "%s-%s" (include "turnpike.fullname" .root) .component }}
{{- end }}

{{/* What never changes in the life of a release: selectors are immutable. */}}
{{- define "turnpike.releaseLabels" -}}
app.kubernetes.io/name: {{ include "turnpike.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "turnpike.selectorLabels" -}}
{{ include "turnpike.releaseLabels" .root }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "turnpike.labels" -}}
{{ include "turnpike.releaseLabels" .root }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: turnpike
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Takes (dict "root" $ "component" "gateway" "image" .Values.gateway.image). */}}
{{- define "turnpike.image" -}}
{{- $own := .image | default dict }}
{{- $shared := .root.Values.image }}
{{- $repository := $own.repository | default (printf "%s/%s" $shared.repository .component) }}
{{- $registry := $own.registry | default $shared.registry }}
{{- if $registry }}{{ $registry }}/{{ end }}{{ $repository }}
{{- if $own.digest }}@{{ $own.digest }}{{ else }}:{{ $own.tag | default $shared.tag | default .root.Chart.AppVersion }}{{ end }}
{{- end }}

{{/* The three workers: component, values and what tells them apart. */}}
{{- define "turnpike.workers" -}}
text-worker: {values: textWorker, topic: jobs.text, models: text, modelsBeside: ""}
media-worker: {values: mediaWorker, topic: jobs.media, models: image, modelsBeside: speech}
transcription-worker: {values: transcriptionWorker, topic: jobs.transcription, models: transcription, modelsBeside: ""}
{{- end }}

{{/* A worker without a model to serve does not start, so there is none. Takes (dict "root" $ "worker" $row). */}}
{{- define "turnpike.workerIsOn" -}}
{{- $models := .root.Values.models }}
{{- if or (index $models .worker.models) (and .worker.modelsBeside (index $models .worker.modelsBeside)) }}true{{ end }}
{{- end }}

{{- define "turnpike.gatewayUrl" -}}
http://{{ include "turnpike.componentName" (dict "root" . "component" "gateway") }}:{{ .Values.gateway.service.port }}
{{- end }}

{{- define "turnpike.ledgerUrl" -}}
http{{ if .Values.ledger.tlsSecret }}s{{ end }}://{{ include "turnpike.componentName" (dict "root" . "component" "ledger") }}:{{ .Values.ledger.service.port }}
{{- end }}

{{- define "turnpike.facilitatorUrl" -}}
{{- if .Values.facilitator.enabled -}}
http{{ if .Values.facilitator.tlsSecret }}s{{ end }}://{{ include "turnpike.componentName" (dict "root" . "component" "facilitator") }}:{{ .Values.facilitator.service.port }}
{{- else -}}
{{ .Values.facilitator.url }}
{{- end }}
{{- end }}

{{/* The long-running components that this release has, with the name of their values. */}}
{{- define "turnpike.components" -}}
gateway: gateway
ledger: ledger
{{- range $component, $worker := include "turnpike.workers" . | fromYaml }}
{{- if include "turnpike.workerIsOn" (dict "root" $ "worker" $worker) }}
{{ $component }}: {{ $worker.values }}
{{- end }}
{{- end }}
{{- if .Values.facilitator.enabled }}
facilitator: facilitator
{{- end }}
{{- if .Values.auditor.enabled }}
auditor: auditor
{{- end }}
{{- end }}
