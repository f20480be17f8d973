{{- define "fairlead.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "fairlead.labels" -}}
app.kubernetes.io/name: fairlead
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{- define "fairlead.claim" -}}
{{ .Values.data.existingClaim | default (printf "%s-data" .Release.Name) }}
{{- end -}}

{{/* Where a service is: as the values say, else its Service. */}}
{{- define "fairlead.url" -}}
{{- $given := index .root.Values.urls .row.name -}}
{{- $given | default (printf "http://%s-%s.%s.svc:%v" .root.Release.Name .row.name .root.Release.Namespace .row.port) -}}
{{- end -}}
