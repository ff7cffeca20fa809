// For the tests of the chart, which need nothing else of the stack: a way in that loads no chain and no broker.
export { obtainHelm } from './helm.ts'
export { type KubeCheckers, obtainKubeCheckers } from './kube-checkers.ts'
