import type { WalletBalances } from './chain/wallet-balances.ts'
import type { SendDeps } from './http/send-answer.ts'
import type { MediaDeps } from './media/media-deps.ts'
import type { PaidDeps } from './paid/deps.ts'

/** What the routes work with. */
export type AppDeps = PaidDeps &
  SendDeps &
  MediaDeps & { clientRateLimitPerMinute: number; trustedProxies: number; wallets: WalletBalances }
