{{- define "turnpike.env.migrate" }}
{{- end }}

{{/* The program knows the topics; these are an installation's sizes. */}}
{{- define "turnpike.env.topics" }}
{{- include "turnpike.env.kafka" . }}
{{- include "turnpike.var" (list "TOPIC_PARTITIONS" (toJson .values.partitions)) }}
{{- include "turnpike.var" (list "TOPIC_REPLICATION_FACTOR" (int .values.replicationFactor)) }}
{{- include "turnpike.var" (list "TOPIC_MIN_INSYNC_REPLICAS" (int .values.minInsyncReplicas)) }}
{{- end }}
