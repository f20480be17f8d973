import type { Express } from 'express';
import { FairleadError } from '../domain/errors.ts';
import { apiTitle } from '../domain/services.ts';
import { type AnchoringRoutesDeps, anchoringRoutes } from './audit-ledger/anchoring-routes.ts';
import { checkpointRoutes } from './audit-ledger/checkpoint-routes.ts';
import type { LedgerDeps } from './audit-ledger/deps.ts';
import { emitRoutes } from './audit-ledger/emit-routes.ts';
import { logRejection } from './audit-ledger/log-rejection.ts';
import type { AuditPagesDeps } from './audit-ledger/pages/deps.ts';
import { auditErrorPage, auditPageRoutes } from './audit-ledger/pages/routes.ts';
import { queryRoutes } from './audit-ledger/query-routes.ts';
import { verifyRoutes } from './audit-ledger/verify-routes.ts';
import type { Authenticate, Credentials } from './http/caller.ts';
import { type AppOptions, createApp } from './http/create-app.ts';
import { createHealthRoute, type HealthOptions } from './http/health.ts';

export interface AuditLedgerOptions extends Omit<AppOptions, 'title' | 'routes' | 'version' | 'health'> {
  readonly health: HealthOptions;
  /** How people sign in to the pages. */
  readonly pages: Pick<AuditPagesDeps, 'login' | 'secureCookies'>;
}

/** The audit ledger: events, their chains and what proves them, on one port. */
export function createAuditLedgerApp(deps: LedgerDeps & AnchoringRoutesDeps, options: AuditLedgerOptions): Express {
  return createApp({
    ...options,
    authenticate: requireHeaderToWrite(options.authenticate),
    errorPage: auditErrorPage,
    tellError: logRejection,
    title: apiTitle('audit-ledger'),
    version: options.health.version,
    health: createHealthRoute(options.health),
    routes: [
      ...emitRoutes(deps),
      ...queryRoutes(deps),
      ...verifyRoutes(deps),
      ...checkpointRoutes(deps),
      ...anchoringRoutes(deps),
      ...auditPageRoutes({ ...deps, ...options.pages, authenticate: options.authenticate }),
    ],
  });
}

/** Nobody writes without a credential, and is told so in the words that services know (spec 3, "Authentication", 1). */
function requireHeaderToWrite(authenticate: Authenticate): Authenticate {
  return async (request) => {
    const caller = await authenticate(request);
    if (caller !== null || request.method === 'GET' || isForm(request)) return caller;
    throw new FairleadError('UNAUTHORIZED', 'Authorization header required');
  };
}

/** Forms are of the pages alone, and the one there is signs out. */
function isForm({ headers }: Credentials): boolean {
  return String(headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded');
}
