import type { Express } from 'express';
import { apiTitle } from '../domain/services.ts';
import { type AppOptions, createApp } from './http/create-app.ts';
import { createHealthRoute, type HealthOptions } from './http/health.ts';
import { type WalletDeps, walletRoutes } from './wallet/routes.ts';

export interface WalletOptions extends Omit<AppOptions, 'title' | 'routes' | 'version' | 'health'> {
  readonly health: HealthOptions;
}

/** The wallet: balances of orgs and the ledger of their tokens on one port. */
export function createWalletApp(deps: WalletDeps, options: WalletOptions): Express {
  return createApp({
    ...options,
    title: apiTitle('wallet'),
    version: options.health.version,
    health: createHealthRoute(options.health),
    routes: walletRoutes(deps),
  });
}
