{{- define "turnpike.env.facilitator" }}
- name: POD_INDEX
  valueFrom:
    fieldRef:
      fieldPath: metadata.labels['apps.kubernetes.io/pod-index']
{{- include "turnpike.env.process" . }}
{{- include "turnpike.var" (list "PORT" 8403) }}
{{- include "turnpike.var" (list "PAY_TO" .root.Values.payTo) }}
{{- include "turnpike.var" (list "SIGNER_PRIVATE_KEY_FILE" "/run/secrets/signer/key") }}
{{- include "turnpike.var" (list "SHUTDOWN_GRACE_MS" (mul 1000 .values.drainSeconds)) }}
{{- end }}
