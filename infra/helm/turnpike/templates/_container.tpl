{{/* The one container of a long-running pod. Takes what turnpike.podSpec takes, and "readyPath", "hasPublicPort". */}}
{{- define "turnpike.container" -}}
- name: {{ .component }}
  image: {{ include "turnpike.image" (dict "root" .root "component" .component "image" .values.image) }}
  imagePullPolicy: {{ .root.Values.image.pullPolicy }}
  {{- with .args }}
  args:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    {{- include "turnpike.containerSecurityContext" . | nindent 4 }}
  ports:
    {{- with .publicPort }}
    - {name: http, containerPort: {{ . }}}
    {{- end }}
    - {name: internal, containerPort: 9402}
  env:
    {{- include "turnpike.env" . | trim | nindent 4 }}
  {{- include "turnpike.probes" . | trim | nindent 2 }}
  {{- if .isServed }}
  # Endpoints forget a pod some seconds after it was told to end: until then it goes on taking requests.
  lifecycle:
    preStop:
      sleep: {seconds: {{ .root.Values.preStopSeconds }}}
  {{- end }}
  resources:
    {{- toYaml .values.resources | nindent 4 }}
  volumeMounts:
    {{- include "turnpike.volumeMounts" . | nindent 4 }}
{{- end }}
