import type { Response } from 'express';
import { z } from 'zod';
import type { EventDraft, LedgerEvent } from '../../domain/audit-ledger/event.ts';
import { type Receipt, signReceipt, signReceipts } from '../../domain/audit-ledger/receipt.ts';
import { emitBodySchema, hashSchema, MAX_BATCH_EVENTS } from '../../domain/audit-ledger/schema.ts';
import { FairleadError } from '../../domain/errors.ts';
import { defineRoute, type Route, type RouteContext } from '../http/define-route.ts';
import { sendData } from '../http/envelope.ts';
import { countEmits } from './count-emits.ts';
import type { LedgerDeps } from './deps.ts';
import { draftEvent, readIdempotencyKey } from './draft-event.ts';
import { type EmittingCaller, emitterOf } from './emitter.ts';
import { EMITTERS } from './ledger-callers.ts';

const receiptSchema = z.object({
  version: z.literal(1),
  eventId: z.string(),
  namespace: z.string(),
  chainIndex: z.int(),
  prevHash: hashSchema,
  eventHash: hashSchema,
  createdAt: z.string(),
  keyId: z.string(),
  signature: z.string(),
});

const emittedSchema = z.object({
  eventId: z.string(),
  chainIndex: z.int(),
  eventHash: hashSchema,
  receipt: receiptSchema,
});

/** Documents a body that the handler itself parses: what is wrong with an event has a code and a log line of its own. */
const documentedAs = (schema: z.ZodType) =>
  z.unknown().meta(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));

const EMIT_ERRORS = [
  ...(['EVENT_INVALID', 'EVENT_TOO_LARGE', 'ORG_CLAIM_MISSING', 'FORBIDDEN'] as const),
  ...(['IDEMPOTENCY_KEY_REUSED', 'RATE_LIMIT_EXCEEDED', 'UNAVAILABLE'] as const),
];

/** The routes that write (spec 3, "Endpoints", "Audit ledger"). */
export function emitRoutes(deps: LedgerDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/v1/events/emit',
      summary: 'Append an event to the chain of a namespace',
      description:
        'Answered when the event is durable, with a receipt that the ledger has signed: keep it, as it shows later that ' +
        'the event stood there. With an `Idempotency-Key` a repeat answers as the first one did.',
      tag: 'events',
      callers: EMITTERS,
      body: documentedAs(emitBodySchema),
      responses: { 201: { description: 'The event and its receipt', schema: emittedSchema } },
      errors: EMIT_ERRORS,
      handle: async ({ body }, context) => {
        return async (response) => {
          const emitter = emitterOf(context.caller);
          await countEmits(deps, emitter, [body], response);
          const draft = draftEvent(emitter, body, readIdempotencyKey(context.headers['idempotency-key']));
          sendData(response, 201, await emit(deps, draft));
        };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/v1/events/batch',
      summary: 'Append many events at once, each with a receipt of its own',
      description:
        'All are checked before the first is written. Each counts for the emit limit; those that do not fit under it ' +
        'are refused together. With an `Idempotency-Key` a repeat of the same batch writes only what is missing.',
      tag: 'events',
      callers: EMITTERS,
      body: documentedAs(z.strictObject({ events: z.array(emitBodySchema).min(1).max(MAX_BATCH_EVENTS) })),
      responses: {
        201: { description: 'In the order of the request', schema: z.object({ events: z.array(emittedSchema) }) },
      },
      errors: EMIT_ERRORS,
      handle: async ({ body }, context) => {
        return (response) => emitBatch(deps, body, context, response);
      },
    }),
  ];
}

async function emitBatch(
  deps: LedgerDeps,
  body: unknown,
  context: RouteContext<EmittingCaller>,
  response: Response,
): Promise<void> {
  const emitter = emitterOf(context.caller);
  const bodies = readBatch(body);
  await countEmits(deps, emitter, bodies, response);
  const key = readIdempotencyKey(context.headers['idempotency-key']);
  const drafts = bodies.map((one, index) =>
    atPosition(index, () => draftEvent(emitter, one, key === null ? null : `${key}/${index}`)),
  );
  const events = await Promise.all(drafts.map((draft) => deps.writer.emit(draft)));
  const receipts = await signReceipts(events, deps.signer);
  sendData(response, 201, { events: receipts.map(emitted) });
}

/** The receipt is signed while the event is written, and given away once it is durable. */
async function emit({ writer, signer }: LedgerDeps, draft: EventDraft): Promise<z.input<typeof emittedSchema>> {
  const receipts = new Map<LedgerEvent, Promise<Receipt>>();
  const event = await writer.emit(draft, (chained) => {
    const receipt = signReceipt(chained, signer);
    // Of a place that the event did not get, nobody asks.
    receipt.catch(() => undefined);
    receipts.set(chained, receipt);
  });
  return emitted(await (receipts.get(event) ?? signReceipt(event, signer)));
}

function emitted(receipt: Receipt): z.input<typeof emittedSchema> {
  return { eventId: receipt.eventId, chainIndex: receipt.chainIndex, eventHash: receipt.eventHash, receipt };
}

function readBatch(body: unknown): readonly unknown[] {
  const schema = z.strictObject({ events: z.array(z.unknown()).min(1).max(MAX_BATCH_EVENTS) });
  const result = schema.safeParse(body);
  if (result.success) return result.data.events;
  throw new FairleadError(
    'EVENT_INVALID',
    `Send { events: [ … ] } with 1 to ${MAX_BATCH_EVENTS} events and nothing else`,
  );
}

/** Says which event of a batch an error is about. */
function atPosition<T>(index: number, draft: () => T): T {
  try {
    return draft();
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    const details = { index, problems: error.details };
    throw new FairleadError(error.code, `events[${index}]: ${error.message}`, { details, cause: error });
  }
}
