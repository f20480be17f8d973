import { z } from 'zod';
import type { AuditRecorder } from '../../domain/audit/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { isIdempotencyKey } from '../../domain/idempotency-key.ts';
import { pageQueryShape, pageSchema } from '../../domain/page-schema.ts';
import type { WalletLedger } from '../../domain/wallet/ports.ts';
import {
  creditBodySchema,
  debitBodySchema,
  entryViewSchema,
  walletParamsSchema,
  walletViewSchema,
} from '../../domain/wallet/schema.ts';
import { type Caller, isPlatform } from '../http/caller.ts';
import { defineRoute, type Route, type RouteContext } from '../http/define-route.ts';
import { auditCredit } from './audit-credit.ts';
import { WALLET_CALLERS } from './wallet-callers.ts';
import { entryView, walletView } from './wallet-views.ts';

export interface WalletDeps {
  readonly ledger: WalletLedger;
  readonly audit: AuditRecorder;
}

const MOVED_ERRORS = ['ORG_NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED', 'CONFLICT', 'UNAVAILABLE'] as const;
const ONCE =
  'It needs an `Idempotency-Key`: a repeat with the same key moves nothing and answers as the first one did.';

/** The routes of the wallet. The first request for an org opens its account. */
export function walletRoutes(deps: WalletDeps): readonly Route[] {
  return [balanceRoute(deps), ledgerRoute(deps), creditRoute(deps), debitRoute(deps)];
}

function balanceRoute({ ledger }: WalletDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/wallets/:org',
    summary: 'The balances of an org',
    description: 'People and services see those of their own org, the platform those of all.',
    tag: 'wallets',
    callers: WALLET_CALLERS.balance,
    params: walletParamsSchema,
    responses: { 200: { description: 'The wallet', schema: walletViewSchema } },
    errors: ['ORG_NOT_FOUND', 'UNAVAILABLE'],
    resource: async ({ params }, { caller }) => requireReadable(caller, params.org),
    handle: async ({ resource: org }) => ({ status: 200, data: walletView(await ledger.readAccount(org)) }),
  });
}

function ledgerRoute({ ledger }: WalletDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/wallets/:org/ledger',
    summary: 'The entries of an org, newest first',
    description: 'The postings of an entry add up to 0, and those of all entries to the balances of the org.',
    tag: 'wallets',
    callers: WALLET_CALLERS.ledger,
    params: walletParamsSchema,
    query: z.strictObject(pageQueryShape),
    responses: { 200: { description: 'A page of entries', schema: pageSchema(entryViewSchema) } },
    errors: ['ORG_NOT_FOUND', 'UNAVAILABLE'],
    resource: async ({ params }, { caller }) => requireReadable(caller, params.org),
    handle: async ({ query: { cursor = null, limit }, resource: org }) => {
      const { items, nextCursor } = await ledger.listEntries(org, { cursor, limit });
      return { status: 200, data: { items: items.map(entryView), nextCursor } };
    },
  });
}

function creditRoute({ ledger, audit }: WalletDeps): Route {
  return defineRoute({
    method: 'post',
    path: '/wallets/:org/credits',
    summary: 'Add tokens to a wallet',
    description: ONCE,
    tag: 'wallets',
    callers: WALLET_CALLERS.credit,
    params: walletParamsSchema,
    body: creditBodySchema,
    responses: { 201: { description: 'The entry', schema: entryViewSchema } },
    errors: MOVED_ERRORS,
    handle: async ({ params: { org }, body }, context) => {
      const entry = await ledger.move(org, { kind: 'credit', ...body, ...asked(context) });
      // After the entry: a repeat of a request that was cut off here finds the entry, and records the event then.
      await auditCredit(audit, context, entry);
      return { status: 201, data: entryView(entry) };
    },
  });
}

function debitRoute({ ledger }: WalletDeps): Route {
  return defineRoute({
    method: 'post',
    path: '/wallets/:org/debits',
    summary: 'Take tokens from a wallet',
    description: `From intro, then purchased, then earned tokens; all of the amount or nothing. ${ONCE}`,
    tag: 'wallets',
    callers: WALLET_CALLERS.debit,
    params: walletParamsSchema,
    body: debitBodySchema,
    responses: { 201: { description: 'The entry', schema: entryViewSchema } },
    errors: [...MOVED_ERRORS, 'INSUFFICIENT_GAS'],
    handle: async ({ params: { org }, body }, context) => {
      return { status: 201, data: entryView(await ledger.move(org, { kind: 'debit', ...body, ...asked(context) })) };
    },
  });
}

/** The org of a path, for someone who may read its wallet. @throws ORG_NOT_FOUND also for an org that is not the caller's */
function requireReadable(caller: Caller, org: string): string {
  if (isPlatform(caller) || caller.org === org) return org;
  throw new FairleadError('ORG_NOT_FOUND', 'There is no such org, or you are not in it');
}

/** Who asks, and under which key. @throws VALIDATION_FAILED without a key */
function asked({ caller, headers }: RouteContext<Caller>): { readonly actor: string; readonly idempotencyKey: string } {
  const key = headers['idempotency-key'];
  if (typeof key === 'string' && isIdempotencyKey(key)) return { actor: caller.name, idempotencyKey: key };
  const message = 'Idempotency-Key: send 1 to 200 visible ASCII characters, the same ones with each repeat';
  throw new FairleadError('VALIDATION_FAILED', message, { details: [{ field: 'Idempotency-Key', message }] });
}
