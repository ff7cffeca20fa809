{{/* Both hooks run before the release's own objects exist, so they bring their account and their network policy themselves. */}}
{{- define "turnpike.hookJob" -}}
backoffLimit: {{ .values.backoffLimit }}
activeDeadlineSeconds: {{ .values.deadlineSeconds }}
template:
  metadata:
    labels:
      {{- include "turnpike.selectorLabels" . | nindent 6 }}
      app.kubernetes.io/part-of: turnpike
      {{- with .root.Values.commonLabels }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
  spec:
    restartPolicy: Never
    serviceAccountName: {{ include "turnpike.fullname" .root }}-hooks
    automountServiceAccountToken: false
    enableServiceLinks: false
    {{- with .root.Values.image.pullSecrets }}
    imagePullSecrets:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    securityContext:
      {{- include "turnpike.podSecurityContext" . | nindent 6 }}
    {{- with .root.Values.nodeSelector }}
    nodeSelector:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with .root.Values.tolerations }}
    tolerations:
      {{- toYaml . | nindent 6 }}
    {{- end }}
{{- end }}

{{- define "turnpike.hookCompanion" -}}
helm.sh/hook: pre-install,pre-upgrade
helm.sh/hook-weight: "-10"
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end }}
