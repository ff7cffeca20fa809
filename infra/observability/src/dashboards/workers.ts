import { type Dashboard, perSecond, quantile } from './panel.ts'

const BY_SERVICE = ['service']

export const WORKERS: Dashboard = {
  uid: 'turnpike-workers',
  title: 'Turnpike: workers and Kafka',
  says: 'Is the work done as fast as it comes, do the providers answer, and what waits.',
  rows: [
    {
      title: 'Work',
      panels: [
        {
          title: 'Lag',
          says: 'Messages that are not finished, by group and topic. KEDA scales the workers on it.',
          kind: 'lines',
          unit: 'short',
          alarm: 500,
          queries: [{ expr: 'sum by (service, topic) (turnpike_consumer_lag)', legend: '{{service}} {{topic}}' }],
        },
        {
          title: 'In flight and slots',
          says: 'At the number of slots a service works at its limit.',
          kind: 'lines',
          unit: 'short',
          queries: [
            { expr: 'sum by (service) (turnpike_consumer_in_flight)', legend: '{{service}}' },
            { expr: 'sum by (service) (turnpike_consumer_slots)', legend: '{{service}}: slots' },
          ],
        },
        {
          title: 'Wait until a worker begins',
          says: 'Publication, the queue in Kafka, fetching; 95 %.',
          kind: 'lines',
          unit: 's',
          alarm: 10,
          queries: [{ expr: quantile(0.95, 'turnpike_job_wait_seconds', BY_SERVICE), legend: '{{service}}' }],
        },
        {
          title: 'Oldest unfinished message',
          says: 'Of what was delivered to a process.',
          kind: 'lines',
          unit: 's',
          alarm: 900,
          queries: [
            { expr: 'max by (service, topic) (turnpike_consumer_oldest_unfinished_seconds)', legend: '{{service}} {{topic}}' },
          ],
        },
        {
          title: 'Oldest job without an outcome',
          says: 'In the books, whoever has it.',
          kind: 'lines',
          unit: 's',
          alarm: 900,
          queries: [{ expr: 'max(turnpike_ledger_oldest_open_job_seconds)', legend: 'oldest' }],
        },
        {
          title: 'Open jobs',
          says: 'Recorded and without an outcome.',
          kind: 'lines',
          unit: 'short',
          queries: [{ expr: 'max(turnpike_ledger_open_jobs)', legend: 'open' }],
        },
        {
          title: 'Done, repeated, given up',
          says: 'Messages per second that ended, attempts that failed, and what went to the dead letters.',
          kind: 'lines',
          unit: 'ops',
          queries: [
            { expr: perSecond('turnpike_consumer_finished_total', BY_SERVICE), legend: '{{service}} done' },
            { expr: perSecond('turnpike_consumer_retried_total', BY_SERVICE), legend: '{{service}} repeated' },
            { expr: perSecond('turnpike_consumer_dead_lettered_total', BY_SERVICE), legend: '{{service}} dead letters' },
          ],
        },
        {
          title: 'Outcomes',
          says: 'By kind and code.',
          kind: 'lines',
          unit: 'ops',
          queries: [{ expr: perSecond('turnpike_outcomes_published_total', ['kind', 'code']), legend: '{{kind}} {{code}}' }],
        },
      ],
    },
    {
      title: 'Providers',
      panels: [
        {
          title: 'Time of a call, 95 %',
          says: 'By model, retries and further targets included.',
          kind: 'lines',
          unit: 's',
          alarm: 60,
          queries: [{ expr: quantile(0.95, 'turnpike_provider_call_seconds', ['model']), legend: '{{model}}' }],
        },
        {
          title: 'Calls in flight',
          says: 'How many run at this moment, by model.',
          kind: 'lines',
          unit: 'short',
          isStacked: true,
          queries: [{ expr: 'sum by (model) (turnpike_provider_calls_in_flight)', legend: '{{model}}' }],
        },
        {
          title: 'Calls without a result',
          says: 'By reason. `circuit_open` was not sent.',
          kind: 'lines',
          unit: 'ops',
          queries: [
            { expr: perSecond('turnpike_provider_calls_total', ['reason'], '{outcome!="succeeded"}'), legend: '{{reason}}' },
          ],
        },
        {
          title: 'Part without a result',
          says: 'By model; refused ones are the request’s own fault and left out.',
          kind: 'lines',
          unit: 'percentunit',
          alarm: 0.2,
          queries: [
            {
              expr: `${perSecond('turnpike_provider_calls_total', ['model'], '{outcome=~"failed|ambiguous"}')} / ${perSecond('turnpike_provider_calls_total', ['model'])}`,
              legend: '{{model}}',
            },
          ],
        },
        {
          title: 'Circuit breakers',
          says: '1: this target of the model is left alone.',
          kind: 'lines',
          unit: 'none',
          queries: [{ expr: 'max by (model, target) (turnpike_target_open)', legend: '{{model}} #{{target}}' }],
        },
        {
          title: 'Closed models',
          says: '1: no target serves it and it is not sold.',
          kind: 'lines',
          unit: 'none',
          queries: [{ expr: 'max by (model) (turnpike_model_closed)', legend: '{{model}}' }],
        },
      ],
    },
    {
      title: 'Kafka',
      panels: [
        {
          title: 'Waiting for an acknowledgement',
          says: 'By service. It is near zero while Kafka is well.',
          kind: 'lines',
          unit: 'short',
          alarm: 1000,
          queries: [{ expr: 'sum by (service) (turnpike_publisher_queued)', legend: '{{service}}' }],
        },
        {
          title: 'Would be delivered again',
          says: 'Messages above the committed offset: what a crash repeats.',
          kind: 'lines',
          unit: 'short',
          queries: [{ expr: 'sum by (service, topic) (turnpike_consumer_uncommitted)', legend: '{{service}} {{topic}}' }],
        },
        {
          title: 'In the group',
          says: 'Processes that are members, by service.',
          kind: 'lines',
          unit: 'short',
          queries: [{ expr: 'sum by (service) (turnpike_consumer_up)', legend: '{{service}}' }],
        },
        {
          title: 'Partitions',
          says: 'Assigned, by service and topic: constant while every group is whole.',
          kind: 'lines',
          unit: 'short',
          queries: [{ expr: 'sum by (service, topic) (turnpike_consumer_partitions)', legend: '{{service}} {{topic}}' }],
        },
      ],
    },
  ],
}
