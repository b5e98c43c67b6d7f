{{/* A version as a label: `+` is not allowed there, nor more than 63 characters. */}}
{{- define "poker-bridge.version" -}}
{{- . | replace "+" "_" | trunc 63 | trimAll "-_." | quote }}
{{- end }}

{{/* The labels of every object of a release. */}}
{{- define "poker-bridge.labels" -}}
helm.sh/chart: {{ include "poker-bridge.version" (printf "%s-%s" .Chart.Name .Chart.Version) }}
app.kubernetes.io/version: {{ include "poker-bridge.version" .Chart.AppVersion }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
{{ include "poker-bridge.selector" . }}
{{- end }}

{{/* The labels that select the workers of a release. They never change. */}}
{{- define "poker-bridge.selector" -}}
app.kubernetes.io/name: {{ .Values.nameOverride | default "poker-bridge" }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{/* The name of every object: the release's, followed by the chart's unless it contains that already. */}}
{{- define "poker-bridge.name" -}}
{{- $chart := .Values.nameOverride | default "poker-bridge" }}
{{- $name := contains $chart .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $chart) }}
{{- .Values.fullnameOverride | default $name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "poker-bridge.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "poker-bridge.name" .) }}
{{- end }}

{{/* The host names of the Service: workers answer requests for these. */}}
{{- define "poker-bridge.hosts" -}}
{{- $name := include "poker-bridge.name" . -}}
{{- $namespace := .Release.Namespace -}}
{{ printf "%[1]s,%[1]s.%[2]s,%[1]s.%[2]s.svc,%[1]s.%[2]s.svc.cluster.local" $name $namespace }}
{{- end }}

{{- define "poker-bridge.image" -}}
{{- $tag := .Values.image.tag | default (.Chart.AppVersion | replace "+" "_") -}}
{{ .Values.image.repository }}:{{ $tag }}{{ with .Values.image.digest }}@{{ . }}{{ end }}
{{- end }}

{{/* The Deployments as YAML: by name, the values of `lanes` and the list of lanes that its workers serve. */}}
{{- define "poker-bridge.deployments" -}}
{{- $deployments := dict }}
{{- range $name, $of := .Values.lanes }}
{{- $isBoth := eq $name "both" }}
{{- if and $of.enabled (or $isBoth (not $.Values.lanes.both.enabled)) }}
{{- $lanes := $isBoth | ternary (list "interactive" "reports") (list $name) }}
{{- $deployments = set $deployments $name (merge (dict "lanes" $lanes) $of) }}
{{- end }}
{{- end }}
{{- toYaml $deployments }}
{{- end }}

{{/* `true` if the chart creates the key that pseudonymizes players in the log. */}}
{{- define "poker-bridge.makesLogKey" -}}
{{- if not (hasKey .Values.secrets.settings "LOG_SUBJECT_KEY") }}true{{ end }}
{{- end }}

{{/* The path of a mounted key: of `secrets.name`, or in a folder with the name of its own Secret. */}}
{{- define "poker-bridge.path" -}}
/run/secrets/poker-bridge/{{ if kindIs "string" . }}{{ . }}{{ else }}of/{{ .name }}/{{ .key }}{{ end }}
{{- end }}

{{/* Rejects values that values.schema.json cannot reject. */}}
{{- define "poker-bridge.check" -}}
{{- $deployments := include "poker-bridge.deployments" . | fromYaml }}
{{- range $name, $of := $deployments }}
{{- if gt (int $of.scaling.min) (int $of.scaling.max) }}
{{- fail (printf "lanes.%s.scaling: min %v is more than max %v" $name $of.scaling.min $of.scaling.max) }}
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
{{- if not $deployments }}{{ fail "lanes: at least one of them has to be enabled" }}{{ end }}
{{- end }}

{{/* A PromQL expression with more matchers on the series of these names. Takes [expression, names, matchers]. */}}
{{- define "poker-bridge.select" -}}
{{- $expr := index . 0 }}{{ $names := index . 1 }}{{ $matchers := index . 2 }}
{{- $expr = regexReplaceAll (printf "\\b(%s)\\{" $names) $expr (printf "${1}{%s, " $matchers) }}
{{- regexReplaceAll (printf "\\b(%s)([^\\w:{]|$)" $names) $expr (printf "${1}{%s}${2}" $matchers) }}
{{- end }}
