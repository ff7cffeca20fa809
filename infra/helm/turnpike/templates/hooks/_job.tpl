{{/* A hook's Job. The hooks run before the release's own objects exist, so they bring their account and network policy themselves. */}}
{{- define "turnpike.hookJob" -}}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ include "turnpike.componentName" . }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "turnpike.labels" . | nindent 4 }}
  annotations:
    helm.sh/hook: pre-install,pre-upgrade
    helm.sh/hook-weight: "0"
    # A failed one stays, for its log.
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
spec:
  backoffLimit: {{ .values.backoffLimit }}
  activeDeadlineSeconds: {{ .values.deadlineSeconds }}
  template:
    metadata:
      labels:
        {{- include "turnpike.labels" . | nindent 8 }}
    spec:
      restartPolicy: Never
      {{- include "turnpike.shortPodSpec" (merge (dict "account" (printf "%s-hooks" (include "turnpike.fullname" .root))) .) | nindent 6 }}
      containers:
        - name: {{ .component }}
          image: {{ include "turnpike.image" (dict "root" .root "component" "ledger" "image" .root.Values.ledger.image) }}
          {{- include "turnpike.shortContainer" . | nindent 10 }}
      volumes:
        {{- include "turnpike.volumes" . | nindent 8 }}
{{- end }}

{{- define "turnpike.hookCompanion" -}}
helm.sh/hook: pre-install,pre-upgrade
helm.sh/hook-weight: "-10"
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end }}

{{/* Of pods that run once: hooks and the test. */}}
{{- define "turnpike.shortPodSpec" -}}
serviceAccountName: {{ .account }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- include "turnpike.podSecurityContext" . | nindent 2 }}
{{- with .root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "turnpike.shortContainer" -}}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
command:
  {{- toYaml .values.command | nindent 2 }}
securityContext:
  {{- include "turnpike.containerSecurityContext" . | nindent 2 }}
env:
  {{- include "turnpike.env" . | trim | nindent 2 }}
resources:
  {{- toYaml .values.resources | nindent 2 }}
volumeMounts:
  {{- include "turnpike.volumeMounts" . | nindent 2 }}
{{- end }}
