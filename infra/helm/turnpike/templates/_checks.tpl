{{/* What a schema cannot say, because it compares two values. All that is wrong is said at once. */}}
{{- define "turnpike.checks" -}}
{{- $values := .Values }}
{{- $problems := list }}
{{- range $component, $worker := include "turnpike.workers" . | fromYaml }}
{{- if include "turnpike.workerIsOn" (dict "root" $ "worker" $worker) }}
{{- $own := index $values $worker.values }}
{{- $partitions := index $values.topics.partitions $worker.topic | int }}
{{- $most := int ($own.autoscaling.enabled | ternary $own.autoscaling.maxReplicas ($own.replicas | default 2)) }}
{{- if gt $most $partitions }}
{{- $problems = append $problems (printf "%s: %d replicas for the %d partitions of %s (topics.partitions): a replica without a partition does nothing" $worker.values $most $partitions $worker.topic) }}
{{- end }}
{{- end }}
{{- end }}
{{- range $name := list "gateway" "textWorker" "mediaWorker" "transcriptionWorker" }}
{{- $scaling := (index $values $name).autoscaling }}
{{- if gt (int $scaling.minReplicas) (int $scaling.maxReplicas) }}
{{- $problems = append $problems (printf "%s.autoscaling: minReplicas is above maxReplicas" $name) }}
{{- end }}
{{- end }}
{{- if gt (int $values.topics.minInsyncReplicas) (int $values.topics.replicationFactor) }}
{{- $problems = append $problems "topics: minInsyncReplicas is above replicationFactor, so nothing could ever be written" }}
{{- end }}
{{- if not (or $values.models.text $values.models.image $values.models.speech $values.models.transcription) }}
{{- $problems = append $problems "models: there is nothing to sell" }}
{{- end }}
{{- if and $values.paidCheck.enabled (not (hasKey $values.models.text $values.paidCheck.model)) }}
{{- $problems = append $problems (printf "paidCheck.model: %s is none of models.text" $values.paidCheck.model) }}
{{- end }}
{{- if and (or $values.authorities.kafka.configMap $values.authorities.kafka.secret) (not $values.kafka.tls.enabled) }}
{{- $problems = append $problems "authorities.kafka needs kafka.tls.enabled" }}
{{- end }}
{{- range $wire := list "ledger" "facilitator" }}
{{- $authority := index $values.authorities $wire }}
{{- if and (or $authority.configMap $authority.secret) (not (index $values $wire).tlsSecret) (or (eq $wire "ledger") $values.facilitator.enabled) }}
{{- $problems = append $problems (printf "authorities.%s needs %s.tlsSecret" $wire $wire) }}
{{- end }}
{{- end }}
{{- if and $values.facilitator.enabled (not (include "turnpike.secretRef" (dict "root" . "values" $values.facilitator "ref" "facilitatorToken"))) }}
{{- $problems = append $problems "secrets.refs.facilitatorToken: our facilitator answers nobody without a token" }}
{{- end }}
{{- $signers := list }}
{{- range $values.facilitator.signers }}
{{- $signers = append $signers (printf "%s/%s" (.name | default $values.facilitator.secrets.existingSecret | default $values.secrets.existingSecret) .key) }}
{{- end }}
{{- if ne (len $signers) (len (uniq $signers)) }}
{{- $problems = append $problems "facilitator.signers: two replicas with one account would take the same nonces of it" }}
{{- end }}
{{- with $values.networkPolicy }}
{{- if .enabled }}
{{- range $what, $isUsed := dict "externalFacilitator" (not $values.facilitator.enabled) "kms" (not (empty $values.stagingKms.keys)) "tracing" (not (empty $values.tracing.endpoint)) "safety" (or (hasKey $values.gateway.settings "PAYER_SCREENING_URL") (hasKey $values.gateway.settings "MODERATION_URL")) }}
{{- if and $isUsed (not (index $values.networkPolicy.egress $what).peers) }}
{{- $problems = append $problems (printf "networkPolicy.egress.%s.peers: it is used, and nobody may reach it" $what) }}
{{- end }}
{{- end }}
{{- if and (or $values.metrics.podMonitor.enabled $values.metrics.serviceMonitor.enabled) (not .ingress.metrics.peers) }}
{{- $problems = append $problems "networkPolicy.ingress.metrics.peers: Prometheus may not come in" }}
{{- end }}
{{- end }}
{{- end }}
{{- if $problems }}
{{- fail (printf "\n\nThe values do not go together:\n  - %s\n" (join "\n  - " $problems)) }}
{{- end }}
{{- end }}
