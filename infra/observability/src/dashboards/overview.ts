import { type Dashboard, perSecond, quantile } from './panel.ts'

const REQUESTS = 'turnpike_http_requests_total'
const SECONDS = 'turnpike_http_request_seconds'
const FUNNEL = 'turnpike_payment_funnel_total'
const step = (name: string) => perSecond(FUNNEL, [], `{step="${name}"}`)

export const OVERVIEW: Dashboard = {
  uid: 'turnpike-overview',
  title: 'Turnpike: overview',
  says: 'Is it selling, and does it answer in time: rates, errors and times by route, and the way of a paid request.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Requests',
          says: 'All routes together.',
          kind: 'stat',
          unit: 'reqps',
          queries: [{ expr: perSecond(REQUESTS), legend: '' }],
        },
        {
          title: 'Faults of ours',
          says: 'Part of all answers that are 5xx. A 503 is a closed door, a 500 a defect.',
          kind: 'stat',
          unit: 'percentunit',
          alarm: 0.05,
          queries: [
            { expr: `(${perSecond(REQUESTS, [], '{status=~"5.."}')} or vector(0)) / ${perSecond(REQUESTS)}`, legend: '' },
          ],
        },
        {
          title: 'Sold per hour',
          says: 'Value of the receipts of the last hour.',
          kind: 'stat',
          unit: 'currencyUSD',
          queries: [{ expr: 'sum(increase(turnpike_ledger_settled_usdc_total[1h]))', legend: '' }],
        },
        {
          title: 'Doors closed',
          says: 'Dependencies that are away for every gateway: while there is one nothing is sold.',
          kind: 'stat',
          unit: 'none',
          alarm: 1,
          queries: [{ expr: 'count(max by (dependency) (turnpike_dependency_up) == 0) or vector(0)', legend: '' }],
        },
      ],
    },
    {
      title: 'Rate, errors, duration',
      panels: [
        {
          title: 'Requests by route',
          says: 'Where the traffic is.',
          kind: 'lines',
          unit: 'reqps',
          queries: [{ expr: perSecond(REQUESTS, ['route']), legend: '{{route}}' }],
        },
        {
          title: 'Answers by status',
          says: '402 is the shop window; `gone` are clients that left.',
          kind: 'lines',
          unit: 'reqps',
          isStacked: true,
          queries: [{ expr: perSecond(REQUESTS, ['status']), legend: '{{status}}' }],
        },
        {
          title: 'Time of a challenge',
          says: 'What an unpaid request costs a client: should be milliseconds.',
          kind: 'lines',
          unit: 's',
          alarm: 0.5,
          queries: [0.5, 0.95, 0.99].map((q) => ({ expr: quantile(q, SECONDS, [], '{answer="402"}'), legend: `p${q * 100}` })),
        },
        {
          title: 'Time of a paid answer, 95 %',
          says: 'By route; mostly the provider.',
          kind: 'lines',
          unit: 's',
          queries: [{ expr: quantile(0.95, SECONDS, ['route'], '{answer="2xx"}'), legend: '{{route}}' }],
        },
        {
          title: 'Refusals by code',
          says: 'Why requests are refused, challenges without a payment left out.',
          kind: 'lines',
          unit: 'reqps',
          queries: [{ expr: perSecond('turnpike_refusals_total', ['code'], '{code!="payment_required"}'), legend: '{{code}}' }],
        },
        {
          title: 'Refused although signed',
          says: 'Payments that came along and were not taken, by the reason that the client was given.',
          kind: 'lines',
          unit: 'reqps',
          queries: [{ expr: perSecond('turnpike_refusals_total', ['code'], '{signed="yes"}'), legend: '{{code}}' }],
        },
      ],
    },
    {
      title: 'The way of a paid request',
      panels: [
        {
          title: 'Funnel',
          says: 'A price was named, a signed request came, its payment was found good, its job was published, its answer released.',
          kind: 'lines',
          unit: 'reqps',
          queries: ['challenged', 'signed', 'verified', 'admitted', 'released'].map((name) => ({
            expr: step(name),
            legend: name,
          })),
        },
        {
          title: 'Admitted and released',
          says: 'Part of the admitted requests whose answer was released. Failures of providers lower it, so do clients that leave.',
          kind: 'lines',
          unit: 'percentunit',
          alarm: { below: 0.8 },
          queries: [{ expr: `${step('released')} / ${step('admitted')}`, legend: 'released' }],
        },
        {
          title: 'Joined and replayed',
          says: 'Copies and retries of paid requests: clients that did not get their answer the first time.',
          kind: 'lines',
          unit: 'reqps',
          queries: ['joined', 'replayed'].map((name) => ({ expr: step(name), legend: name })),
        },
        {
          title: 'Until the job is in Kafka',
          says: 'Signature, facilitator, claims, publication.',
          kind: 'lines',
          unit: 's',
          alarm: 2,
          queries: [0.5, 0.95].map((q) => ({ expr: quantile(q, 'turnpike_admission_seconds'), legend: `p${q * 100}` })),
        },
      ],
    },
  ],
}
