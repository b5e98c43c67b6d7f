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
