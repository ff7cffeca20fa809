import { GATEWAY } from './gateway.ts'
import { MONEY } from './money.ts'
import { OVERVIEW } from './overview.ts'
import type { Dashboard } from './panel.ts'
import { WORKERS } from './workers.ts'

export const DASHBOARDS: readonly Dashboard[] = [OVERVIEW, MONEY, WORKERS, GATEWAY]
