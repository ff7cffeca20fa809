{{/* The restricted pod security standard, and a root that nobody writes to. */}}
{{- define "turnpike.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "turnpike.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/*
What every long-running pod has beside its containers. Takes (dict "root" $ "component" "gateway" "values" .Values.gateway).
*/}}
{{- define "turnpike.podSpec" -}}
serviceAccountName: {{ include "turnpike.componentName" . }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- include "turnpike.podSecurityContext" . | nindent 2 }}
terminationGracePeriodSeconds: {{ include "turnpike.graceSeconds" . }}
{{- with .values.priorityClassName | default .root.Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
topologySpreadConstraints:
  {{- include "turnpike.spread" . | trim | nindent 2 }}
{{- with .values.nodeSelector | default .root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations | default .root.Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity | default .root.Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Over zones, then over nodes. ScheduleAnyway: a cluster of one node or zone runs it too. */}}
{{- define "turnpike.spread" }}
{{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
- maxSkew: 1
  topologyKey: {{ $key }}
  whenUnsatisfiable: {{ $.root.Values.topologySpread.whenUnsatisfiable }}
  labelSelector:
    matchLabels:
      {{- include "turnpike.selectorLabels" $ | nindent 6 }}
  # An old version's pods would otherwise stand in the way of a new one's.
  matchLabelKeys: [{{ $.revisionLabel | default "pod-template-hash" }}]
{{- end }}
{{- end }}

{{- define "turnpike.podMetadata" -}}
labels:
  {{- include "turnpike.selectorLabels" . | nindent 2 }}
  app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
  app.kubernetes.io/part-of: turnpike
  {{- with .root.Values.commonLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- with .values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
annotations:
  kubectl.kubernetes.io/default-container: {{ .component }}
  # Secrets belong to the operator, so their content is not known here: a new value of secrets.revision restarts the pods.
  turnpike/secrets-revision: {{ .root.Values.secrets.revision | quote }}
  {{- with .values.podAnnotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{/*
Started means that everything it needs answered once; from then on `readyPath` decides who gets traffic. Takes "readyPath" beside the rest.
*/}}
{{- define "turnpike.probes" }}
{{- $scheme := and (eq .component "ledger") .values.tlsSecret | empty | ternary "HTTP" "HTTPS" }}
startupProbe:
  httpGet: {path: /readyz, port: internal, scheme: {{ $scheme }}}
  periodSeconds: 2
  timeoutSeconds: 4
  failureThreshold: {{ div .root.Values.startupSeconds 2 }}
readinessProbe:
  httpGet: {path: {{ .readyPath }}, port: internal, scheme: {{ $scheme }}}
  periodSeconds: 5
  timeoutSeconds: 4
  failureThreshold: 3
livenessProbe:
  httpGet: {path: /healthz, port: internal, scheme: {{ $scheme }}}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
{{- end }}

{{- define "turnpike.volumeMounts" -}}
- name: tmp
  mountPath: /tmp
{{- include "turnpike.secretMount" . }}
{{- include "turnpike.authorityMount" . }}
{{- end }}

{{- define "turnpike.volumes" -}}
- name: tmp
  emptyDir:
    sizeLimit: {{ .root.Values.tmpSize }}
{{- include "turnpike.secretVolume" . }}
{{- include "turnpike.authorityVolume" . }}
{{- end }}

{{/*
Of a Deployment that may be scaled. A manifest that names replicas no more, after one that did, sets them to one until the autoscaler acts; so
what runs now stays written down, in every release. Without a cluster to ask (helm template) nothing is said.
*/}}
{{- define "turnpike.replicas" -}}
{{- if not .values.autoscaling.enabled -}}
replicas: {{ .values.replicas | default 2 }}
{{- else -}}
{{- $live := lookup "apps/v1" "Deployment" .root.Release.Namespace (include "turnpike.componentName" .) -}}
{{- if hasKey ($live.spec | default dict) "replicas" -}}
replicas: {{ int $live.spec.replicas }}
{{- end }}
{{- end }}
{{- end }}
