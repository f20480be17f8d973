import { type ApiClient, pathOf } from './api-client.ts';
import type { CliContext } from './context.ts';
import { connectToService } from './service-api.ts';

/** The wallet that belongs to a builder API. @throws CliFailure NO_WALLET, WALLET_UNSAFE */
export function connectToWallet(context: CliContext): ApiClient {
  return connectToService(context, 'wallet', { unknown: 'NO_WALLET', unsafe: 'WALLET_UNSAFE' });
}

/** Path of the wallet of an org, or of something below it. */
export const walletPath = (org: string, ...rest: readonly string[]): string => pathOf('wallets', org, ...rest);
