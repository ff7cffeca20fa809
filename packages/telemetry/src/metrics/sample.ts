/** One line of the text format; `metricName` where it is not the metric's own. */
export type Sample = { metricName?: string; labels: Readonly<Record<string, string | number>>; value: number }
