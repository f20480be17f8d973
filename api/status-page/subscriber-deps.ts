import type { NewId } from '../../domain/ids.ts';
import type { DeliveryCommands } from '../../domain/notifications/messages.ts';
import type { ChannelLinks, DeliveryStore, MailCounts } from '../../domain/notifications/ports.ts';
import type { SubscriberStore } from '../../domain/notifications/subscriber-ports.ts';
import type { RecordChange } from '../notifications/deps.ts';
import type { StatusPageDeps } from './deps.ts';

/** What the routes of subscribers need. */
export interface SubscriberDeps extends Omit<StatusPageDeps, 'log'> {
  readonly subscribers: SubscriberStore;
  readonly deliveries: DeliveryStore;
  readonly deliveryCommands: DeliveryCommands;
  readonly links: ChannelLinks;
  readonly mailCounts: MailCounts;
  readonly newId: NewId;
  readonly recordChange: RecordChange;
}
