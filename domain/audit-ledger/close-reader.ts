import { readPayload } from './canonical.ts';
import { LEDGER_CLOSED } from './day-close.ts';
import { dayNumber } from './days.ts';
import { type Hash, LEDGER_NAMESPACE, type LedgerEvent } from './event.ts';
import { ledgerCloseSchema } from './schema.ts';

/** Reads the closes of days off the ledger's own chain as it is verified. */
export function createCloseReader() {
  const closes: { readonly day: number; readonly closeHashes: ReadonlyMap<string, Hash> }[] = [];

  function read({ payload }: LedgerEvent): void {
    const { success, data } = ledgerCloseSchema.safeParse(readPayload(payload).data);
    if (!success) return;
    const hashes = data.namespaces.map(({ namespace, closeHash }) => [namespace, closeHash] as const);
    closes.push({ day: dayNumber(data.day), closeHashes: new Map(hashes) });
  }

  return {
    async *reading(pages: AsyncIterable<readonly LedgerEvent[]>) {
      for await (const page of pages) {
        // What does not hold is not read any further.
        yield page;
        for (const event of page) if (event.eventType === LEDGER_CLOSED) read(event);
      }
    },
    /** Those that a day was closed with: each has had events. */
    namespaces: (): readonly string[] => [...new Set(closes.flatMap(({ closeHashes }) => [...closeHashes.keys()]))],
    /** What the closes say of a namespace. */
    expectationsOf(namespace: string) {
      const required = closes.flatMap(({ closeHashes }) => closeHashes.get(namespace) ?? []);
      const omitted =
        namespace === LEDGER_NAMESPACE ? [] : closes.filter(({ closeHashes }) => !closeHashes.has(namespace));
      return { required, omittedDays: new Set(omitted.map(({ day }) => day)) };
    },
  };
}
