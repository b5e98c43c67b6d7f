{{/* The labels of everything of a release. */}}
{{- define "poker-bridge.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
{{ include "poker-bridge.selector" . }}
{{- end }}

{{/* The labels by which the workers of a release are found; they never change. */}}
{{- define "poker-bridge.selector" -}}
app.kubernetes.io/name: poker-bridge
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{/* The name of everything of a release; a release that is called like the chart does not say it twice. */}}
{{- define "poker-bridge.name" -}}
{{- if contains "poker-bridge" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}{{ printf "%s-poker-bridge" .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* The names of the Service, which workers are asked for by within the cluster. */}}
{{- define "poker-bridge.hosts" -}}
{{- $name := include "poker-bridge.name" . -}}
{{- $namespace := .Release.Namespace -}}
{{ printf "%[1]s,%[1]s.%[2]s,%[1]s.%[2]s.svc,%[1]s.%[2]s.svc.cluster.local" $name $namespace }}
{{- end }}

{{- define "poker-bridge.image" -}}
{{- $tag := .Values.image.tag | default .Chart.AppVersion -}}
{{ .Values.image.repository }}:{{ $tag }}{{ with .Values.image.digest }}@{{ . }}{{ end }}
{{- end }}

{{/* Whether the chart makes the key by which the log names players. */}}
{{- define "poker-bridge.makesLogKey" -}}
{{- if not (hasKey .Values.secrets.settings "LOG_SUBJECT_KEY") }}true{{ end }}
{{- end }}

{{/* Refuses what values.schema.json cannot express. */}}
{{- define "poker-bridge.check" -}}
{{- $lanes := list }}
{{- range $lane, $of := .Values.lanes }}
{{- if $of.enabled }}
{{- $lanes = append $lanes $lane }}
{{- if gt (int $of.scaling.min) (int $of.scaling.max) }}
{{- fail (printf "lanes.%s.scaling: min %v is more than max %v" $lane $of.scaling.min $of.scaling.max) }}
{{- end }}
{{- $settings := mergeOverwrite (dict) $.Values.settings ($of.settings | default dict) }}
{{- range $name, $value := $settings }}
{{- if and (regexMatch "(?i)^http://" $value) (not (regexMatch "(?i)^http://(localhost|127\\.[0-9.]+|\\[::1\\])(:|/|$)" $value)) }}
{{- if ne (get $settings "ALLOW_CLEARTEXT") "true" }}
{{- fail (printf "settings.%s leaves the pod in cleartext: use https, or set ALLOW_CLEARTEXT to 'true'" $name) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- if not $lanes }}{{ fail "lanes: at least one of them has to be enabled" }}{{ end }}
{{- end }}

{{/* An expression of PromQL whose series of these names are selected by more matchers. Takes [expression, names, matchers]. */}}
{{- define "poker-bridge.select" -}}
{{- $expr := index . 0 }}{{ $names := index . 1 }}{{ $matchers := index . 2 }}
{{- $expr = regexReplaceAll (printf "\\b(%s)\\{" $names) $expr (printf "${1}{%s, " $matchers) }}
{{- regexReplaceAll (printf "\\b(%s)([^\\w:{]|$)" $names) $expr (printf "${1}{%s}${2}" $matchers) }}
{{- end }}
