import type { Dashboard, Panel } from './panel.ts'

// Grafana's dashboard schema version 39 (Grafana 10 and newer read it). Written by hand and not with a builder: five kinds of fields
// are all that we use, and the file is read by the chart as it stands.
const SCHEMA_VERSION = 39
const DATASOURCE = { type: 'prometheus', uid: '$' + '{datasource}' }
const HEIGHT = { lines: 8, stat: 4, table: 8 } as const
const COLUMNS = 24
/** From each dashboard to the others. */
const LINK = {
  type: 'dashboards',
  title: 'Turnpike',
  tags: ['turnpike'],
  asDropdown: true,
  includeVars: true,
  keepTime: true,
  targetBlank: false,
  icon: 'external link',
  tooltip: '',
}

/** The JSON that Grafana imports, with the same bytes for the same description. */
export function grafanaJson({ uid, title, says, rows }: Dashboard): string {
  const panels: object[] = []
  let y = 0
  for (const row of rows) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title: row.title,
      collapsed: false,
      panels: [],
      gridPos: { h: 1, w: COLUMNS, x: 0, y },
    })
    y += 1
    let x = 0
    let lineHeight = 0
    for (const panel of row.panels) {
      const w = panel.width ?? (panel.kind === 'stat' ? 6 : 12)
      if (x + w > COLUMNS) {
        x = 0
        y += lineHeight
        lineHeight = 0
      }
      const h = HEIGHT[panel.kind]
      panels.push(panelJson(panel, panels.length + 1, { h, w, x, y }))
      x += w
      lineHeight = Math.max(lineHeight, h)
    }
    y += lineHeight
  }
  const dashboard = {
    uid,
    title,
    description: says,
    tags: ['turnpike'],
    schemaVersion: SCHEMA_VERSION,
    version: 1,
    editable: true,
    graphTooltip: 1,
    time: { from: 'now-6h', to: 'now' },
    refresh: '30s',
    timezone: 'browser',
    annotations: { list: [] },
    links: [LINK],
    templating: {
      list: [
        {
          name: 'datasource',
          label: 'Prometheus',
          type: 'datasource',
          query: 'prometheus',
          hide: 0,
          options: [],
          regex: '',
          refresh: 1,
        },
      ],
    },
    panels,
  }
  return `${JSON.stringify(dashboard, null, 2)}\n`
}

type Place = { h: number; w: number; x: number; y: number }

function panelJson(panel: Panel, id: number, gridPos: Place): object {
  const { kind, title, says, queries } = panel
  return {
    id,
    type: { lines: 'timeseries', stat: 'stat', table: 'table' }[kind],
    title,
    description: says,
    datasource: DATASOURCE,
    gridPos,
    targets: queries.map(({ expr, legend }, place) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + place),
      datasource: DATASOURCE,
      expr,
      legendFormat: legend,
      ...(kind === 'lines' ? { range: true } : { instant: true, range: false }),
      ...(kind === 'table' ? { format: 'table' } : {}),
    })),
    fieldConfig: { defaults: fieldDefaults(panel), overrides: [] },
    options: optionsOf(panel),
  }
}

function fieldDefaults({ kind, unit, alarm, isStacked }: Panel): object {
  const custom = {
    drawStyle: 'line',
    lineWidth: 1,
    fillOpacity: isStacked === true ? 30 : 5,
    showPoints: 'never',
    spanNulls: false,
    stacking: { mode: isStacked === true ? 'normal' : 'none', group: 'A' },
    thresholdsStyle: { mode: alarm === undefined ? 'off' : 'dashed' },
  }
  return {
    unit,
    min: 0,
    color: { mode: kind === 'stat' ? 'thresholds' : 'palette-classic' },
    thresholds: { mode: 'absolute', steps: stepsOf(alarm) },
    ...(kind === 'lines' ? { custom } : {}),
  }
}

function stepsOf(alarm: Panel['alarm']): { color: string; value: number | null }[] {
  if (alarm === undefined) return [{ color: 'green', value: null }]
  if (typeof alarm === 'number') {
    return [
      { color: 'green', value: null },
      { color: 'red', value: alarm },
    ]
  }
  return [
    { color: 'red', value: null },
    { color: 'green', value: alarm.below },
  ]
}

function optionsOf({ kind }: Panel): object {
  switch (kind) {
    case 'lines':
      return { legend: { displayMode: 'list', placement: 'bottom', showLegend: true }, tooltip: { mode: 'multi', sort: 'desc' } }
    case 'stat':
      return {
        reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
        colorMode: 'value',
        graphMode: 'area',
        textMode: 'auto',
      }
    case 'table':
      return { showHeader: true, cellHeight: 'sm' }
  }
}
