import { randomBytes } from 'node:crypto';
import type { PageDeliveryDeps } from '../../activities/notifications/page-delivery-deps.ts';
import { newId } from '../../adapters/crypto/new-id.ts';
import { createMailCounts } from '../../adapters/mongo/notifications/mail-counts.ts';
import { createMailingStore } from '../../adapters/mongo/notifications/mailings.ts';
import { createSubscriberStore } from '../../adapters/mongo/notifications/subscribers.ts';
import { createChannelLinks } from '../../adapters/notifications/channel-links.ts';
import type { SubscriberStore } from '../../domain/notifications/subscriber-ports.ts';
import { createDatabase } from './in-memory/database/database.ts';
import { createMemoryDeliveries, createMemoryNotices } from './in-memory/notifications.ts';

/** What deliveries to subscribers work with, on the real stores over a database in memory; no mail is sent. */
export function pageDeliveryParts(changes: Partial<Pick<PageDeliveryDeps, 'now' | 'commands' | 'mailer'>> = {}) {
  const { db } = createDatabase().connection;
  const {
    now = () => new Date(),
    commands = { deliver: async () => undefined },
    mailer = { ask: async () => undefined, tell: async () => undefined },
  } = changes;
  return {
    subscribers: createSubscriberStore({ db }),
    mailings: createMailingStore({ db }),
    deliveries: createMemoryDeliveries(),
    notices: createMemoryNotices(),
    showsMonitor: async (_org: string, _monitorId: string) => true,
    links: createChannelLinks([randomBytes(32)]),
    mailCounts: createMailCounts({ db }),
    ...{ mailer, commands, newId, now },
  };
}

/** Puts confirmed subscribers of a page there. @returns their ids, in order */
export async function addSubscribers(store: SubscriberStore, org: string, count: number, at: Date): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const id = newId('subscriber');
    const confirmation = { nonce: 'n', hash: id, expiresAt: new Date(at.getTime() + 1_000) };
    await store.ask({ id, org, address: `reader-${index}@example.com`, askedBy: 'sbr_test', confirmation });
    await store.confirm(id, id, at);
    ids.push(id);
  }
  return ids.sort();
}
